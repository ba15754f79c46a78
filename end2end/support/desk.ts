/** The two programs that talk to the outside of the house: the assistant's API and the practice supplier's. */

export interface Line {
  sku?: string;
  description?: string;
  quantity: string;
  unit: string;
  unit_price: string;
  price_per?: string;
}

export interface Suggestion {
  revision: number;
  supplier: string;
  currency: string;
  deliver_to: string;
  lines: Line[];
  note_to_supplier?: string;
  rationale?: string;
  doubts?: string[];
}

export interface Intent {
  intent_id: string;
  may_continue: boolean;
  do_not_resubmit: boolean;
  suggestion: { id: string; revision: number; state: string; digest: string } | null;
  order: { id: string; state: string; held: boolean; differences: boolean; supplier_reference: string | null } | null;
}

export interface Order {
  id: string;
  state: string;
  version: number;
  held_because: string | null;
  operation_key: string;
  supplier_reference: string | null;
  attempts: { id: string; reply: string | null; http_status: number | null }[];
  case: { id: string; kind: string; owner: string; due_at: string } | null;
}

/** A suggestion that reads like one from a real morning; `change` what the test is about. */
export function suggestion(change: Partial<Suggestion> = {}): Suggestion {
  return {
    revision: 1,
    supplier: "practice",
    currency: "EUR",
    deliver_to: "main-warehouse",
    lines: [
      { sku: "M8-40-A2", description: "Hex bolt M8×40 A2", quantity: "24", unit: "EA", unit_price: "0.4375" },
      { sku: "W8-A2", description: "Washer M8 A2", quantity: "200", unit: "EA", unit_price: "1.90", price_per: "100" },
    ],
    rationale: "stock 6, weekly use 20",
    doubts: ["price is from March"],
    ...change,
  };
}

let made = 0;
/** An intent id no other test uses. */
export function newIntentId(word: string): string {
  made += 1;
  return `${word}-${process.pid}-${Date.now()}-${made}`;
}

/** The assistant's side: REST with a token. */
export class Assistant {
  constructor(readonly url: string, readonly intakeToken: string, readonly readToken: string) {}

  async reserve(intentId: string, purpose = "restock for Monday") {
    await this.#put(`/api/v1/intents/${intentId}`, { purpose });
  }

  async suggest(intentId: string, body: Suggestion) {
    await this.#put(`/api/v1/intents/${intentId}/suggestion`, body);
    return this.intent(intentId);
  }

  /** Reserves a new intent, puts a suggestion, and answers both with the suggestion's id. */
  async wish(word: string, change: Partial<Suggestion> = {}) {
    const intentId = newIntentId(word);
    await this.reserve(intentId);
    const intent = await this.suggest(intentId, suggestion(change));
    if (!intent.suggestion) throw new Error(`no suggestion in ${JSON.stringify(intent)}`);
    return { intentId, suggestion: intent.suggestion };
  }

  intent(intentId: string): Promise<Intent> {
    return this.#get(`/api/v1/intents/${intentId}`, this.intakeToken) as Promise<Intent>;
  }

  order(orderId: string): Promise<Order> {
    return this.#get(`/api/v1/orders/${orderId}`, this.readToken) as Promise<Order>;
  }

  async #put(path: string, body: unknown) {
    const answer = await fetch(this.url + path, {
      method: "PUT",
      headers: { authorization: `Bearer ${this.intakeToken}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`PUT ${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  }

  async #get(path: string, token: string) {
    const answer = await fetch(this.url + path, { headers: { authorization: `Bearer ${token}` } });
    if (!answer.ok) throw new Error(`GET ${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  }
}

/** The practice supplier's side: what it holds is the truth the tests count by. */
export class Supplier {
  constructor(readonly url: string) {}

  async count(reference: string): Promise<number> {
    const answer = (await this.#get(`/count?reference=${encodeURIComponent(reference)}`)) as { count: number };
    return answer.count;
  }

  /**
   * Submissions it received so far, whatever their reference and its answer. A test has its supplier to itself and looks
   * at the difference: an order too many would have a reference the test does not know.
   */
  async submissions(): Promise<number> {
    const requests = (await this.#get("/requests")) as { method: string }[];
    return requests.filter((request) => request.method === "POST").length;
  }

  /** Changes what it does with every order. */
  async habits(change: Record<string, unknown>) {
    await this.#put("/contract", change);
  }

  /** The number of its only record of this order; it asks as anybody would. */
  async numberOf(reference: string): Promise<string> {
    const records = (await this.#get(`/orders?reference=${encodeURIComponent(reference)}`)) as { number: string }[];
    const [only, ...others] = records;
    if (!only || others.length > 0) throw new Error(`not one record: ${JSON.stringify(records)}`);
    return only.number;
  }

  async faults(next: { on: "submit" | "look_up"; do: string; seconds?: number }[]) {
    await this.#put("/faults", { next });
  }

  async #put(path: string, body: unknown) {
    const answer = await fetch(this.url + path, {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`PUT ${path}: ${answer.status} ${await answer.text()}`);
  }

  async #get(path: string) {
    const answer = await fetch(this.url + path);
    if (!answer.ok) throw new Error(`GET ${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  }
}
