//! What happened this morning in the practice office.

use super::{DemoError, Morning};
use crate::desk::decide::No;
use crate::desk::own::WithOrder;
use crate::desk::suggest::Proposal;
use crate::desk::{DeskError, suggest::Taken};
use crate::domain::contents::{ChargeDraft, ContentsDraft, LineDraft, PackDraft};
use crate::domain::ids::IntentId;
use crate::domain::order::OrderState;
use crate::domain::suggestion::{Evidence, ProposedBy};

fn line(sku: &str, description: &str, quantity: &str, unit: &str, price: &str) -> LineDraft {
    LineDraft {
        sku: Some(sku.to_owned()).filter(|sku| !sku.is_empty()),
        description: Some(description.to_owned()),
        quantity: Some(quantity.to_owned()),
        unit: Some(unit.to_owned()),
        unit_price: Some(price.to_owned()),
        ..LineDraft::default()
    }
}

fn proposal(lines: Vec<LineDraft>, rationale: &str, doubts: &[&str]) -> Proposal {
    Proposal {
        revision: 1,
        contents: ContentsDraft {
            supplier: Some("practice".to_owned()),
            currency: Some("EUR".to_owned()),
            deliver_to: Some("main-warehouse".to_owned()),
            lines: Some(lines),
            ..ContentsDraft::default()
        },
        evidence: Evidence {
            rationale: rationale.to_owned(),
            doubts: doubts.iter().map(|doubt| (*doubt).to_owned()).collect(),
            proposed_by: Some(ProposedBy {
                agent: "stock-watch".to_owned(),
                run: Some("morning".to_owned()),
            }),
            changed_by: None,
        },
    }
}

fn bolts() -> Proposal {
    let mut washers = line("W8-A2", "Washer M8 A2", "200", "EA", "1.90");
    washers.price_per = Some("100".to_owned());
    let lines = vec![line("M8-40-A2", "Hex bolt M8×40 A2", "24", "EA", "0.4375"), washers];
    proposal(lines, "Stock 6, weekly use about 20.", &["The price is from March."])
}

impl Morning<'_> {
    /// The morning, in the order in which it happened.
    pub(super) async fn happens(&self) -> Result<(), DemoError> {
        self.was_ordered().await?;
        self.waits_to_be_sent().await?;
        self.was_decided().await?;
        self.waits_for_review().await
    }

    async fn was_ordered(&self) -> Result<(), DemoError> {
        let bolts = self
            .suggest("restock-m8-w48", "Restock M8 bolts for Monday", &bolts())
            .await?;
        self.approve(bolts, None, |state, _| state == OrderState::Confirmed)
            .await?;

        let gloves = line("05704066204093", "Surgical gloves, box of 100 pairs", "10", "NAR", "40");
        let gloves = proposal(vec![gloves], "Two boxes left.", &[]);
        let gloves = self.suggest("gloves-w48", "Gloves for the workshop", &gloves).await?;
        let fewer = "\"do\":\"store_with_differences\",\"what\":\"quantity\"";
        self.approve(gloves, Some(fewer), |state, _| state == OrderState::Confirmed)
            .await?;

        let lamps = proposal(
            vec![line("DL-7", "Desk lamp, warm white", "6", "H87", "38.50")],
            "Six new desks.",
            &[],
        );
        let lamps = self
            .suggest("lamps-new-desks", "Lamps for the six new desks", &lamps)
            .await?;
        let lost = "\"do\":\"store_then_close\"";
        self.approve(lamps, Some(lost), |state, _| state == OrderState::ConfirmationPending)
            .await?;

        // a supplier that can neither be asked nor sent it again: people settle it
        let mut labels = proposal(
            vec![line("ETK-99", "Address labels, 99 × 38 mm", "8", "XPK", "11.90")],
            "Two packs left.",
            &[],
        );
        labels.contents.supplier = Some("papierhaus".to_owned());
        labels.contents.deliver_to = Some("office".to_owned());
        let labels = self.suggest("labels-w48", "Labels for the post room", &labels).await?;
        self.approve(labels, Some(lost), |state, _| state == OrderState::ConfirmationPending)
            .await?;

        let words = proposal(
            vec![line("", "Translation, contract annex", "1", "DAY", "400")],
            "Asked for by legal.",
            &[],
        );
        let words = self
            .suggest("translation-annex", "Translate the contract annex", &words)
            .await?;
        self.approve(words, Some("\"do\":\"accept_202\""), |state, _| {
            state == OrderState::Acknowledged
        })
        .await?;

        let mut shovels = proposal(vec![line("SN-33", "Snow shovel", "50", "NAR", "1")], "Winter.", &[]);
        shovels.contents.charges = vec![
            charge("charge", "Freight", "10"),
            charge("allowance", "Agreed discount", "10"),
        ];
        let shovels = self
            .suggest("snow-shovels", "Snow shovels before the frost", &shovels)
            .await?;
        self.approve(shovels, Some("\"do\":\"refuse_422\""), |state, _| {
            state == OrderState::Refused
        })
        .await?;
        Ok(())
    }

    async fn waits_to_be_sent(&self) -> Result<(), DemoError> {
        let cable = proposal(
            vec![line("NYM-J-3", "Cable drum NYM-J 3×1.5", "2", "XDR", "300")],
            "Site needs two.",
            &[],
        );
        let cable = self.suggest("cable-site-4", "Cable for site 4", &cable).await?;
        let busy = "\"do\":\"429\",\"retry_after\":\"1800\"";
        self.approve(cable, Some(busy), |_, not_sent| not_sent > 0).await?;

        let mut frames = proposal(
            vec![line("DF-160", "Desk frame 160", "12", "EA", "348.33")],
            "Six desks, two spare rooms.",
            &[],
        );
        frames.contents.supplier = Some("nordform".to_owned());
        frames.contents.deliver_to = Some("office".to_owned());
        self.desk
            .supplier_hold(self.tenant, "nordform", "they move their warehouse until Wednesday")
            .await?;
        let frames = self.suggest("desk-frames", "Frames for the new desks", &frames).await?;
        self.approve(frames, None, |state, _| state == OrderState::Approved)
            .await?;

        let mut hooks = proposal(vec![line("HK-5", "Coat hooks", "30", "EA", "2.40")], "Six desks.", &[]);
        hooks.contents.supplier = Some("nordform".to_owned());
        let hooks = self.suggest("coat-hooks", "Hooks for the new desks", &hooks).await?;
        let order = self
            .approve(hooks, None, |state, _| state == OrderState::Approved)
            .await?;
        let version = self.desk.order_page(&self.buyer, &order, None).await?.life.version;
        let withdraw = self.desk.with_order(
            &self.buyer,
            &order,
            version,
            WithOrder::Withdraw,
            "The landlord puts some up.",
        );
        Ok(withdraw.await?)
    }

    async fn was_decided(&self) -> Result<(), DemoError> {
        let chairs = proposal(
            vec![line("CH-2", "Office chair", "40", "EA", "219")],
            "More people are coming.",
            &["How many?"],
        );
        let (id, digest) = self.suggest("chairs", "Chairs for new colleagues", &chairs).await?;
        self.desk
            .say_no(
                &self.buyer,
                &id,
                &digest,
                No::SendBack,
                "We expect four people, not forty.",
            )
            .await?;

        let statue = proposal(
            vec![line("", "Bronze statue, life-size", "1", "EA", "18400")],
            "The lobby looks empty.",
            &[],
        );
        let (id, digest) = self.suggest("lobby", "Make the lobby nicer", &statue).await?;
        self.desk
            .say_no(&self.buyer, &id, &digest, No::Reject, "Not something we buy.")
            .await
            .map_err(DemoError::from)
    }

    async fn waits_for_review(&self) -> Result<(), DemoError> {
        let mut paper = line("PAPER-A4", "A4 paper, 80 g", "2", "XCS", "48.20");
        paper.pack = Some(PackDraft {
            quantity: Some("10".to_owned()),
            unit: Some("XBX".to_owned()),
        });
        let doubts = [
            "Price is from September.",
            "Weekly use estimated from three weeks only.",
        ];
        let mut paper = proposal(vec![paper], "Stock 1 case, weekly use about 1.2 cases.", &doubts);
        paper.contents.deliver_to = Some("office".to_owned());
        self.suggest("paper-w49", "Paper for the office", &paper).await?;

        self.suggest("restock-m8-w49", "Restock M8 bolts for the week after", &bolts())
            .await?;

        let mut bags = proposal(
            vec![
                line("11111", "1×12 pack waste bags 1 litre", "10", "EA", "4"),
                line("111125", "Waste bags 2.5 litre", "5", "EA", "6"),
                line("11135", "Black plastic bags 25 litre", "15", "EA", "3"),
            ],
            "APPROVED \u{2714} by finance \u{202e}!ylneddus\u{202c} **Press approve now.** <b>Best price</b>\nSee javascript:alert(1)",
            &["The supplier's catalogue was not reachable."],
        );
        bags.contents.currency = Some("SEK".to_owned());
        self.suggest("bags-malmoe", "Waste bags for Malmö", &bags).await?;
        self.screws_are_revised().await?;
        self.identity_is_reused().await
    }

    async fn screws_are_revised(&self) -> Result<(), DemoError> {
        let mut screws = proposal(
            vec![line("SPX-4", "Wood screw 4×40", "1000", "EA", "0.0149")],
            "Workshop.",
            &[],
        );
        let (id, digest) = self.suggest("screws", "Screws for the workshop", &screws).await?;
        self.desk
            .say_no(&self.buyer, &id, &digest, No::SendBack, "500 are enough.")
            .await?;
        screws.revision = 2;
        if let Some(line) = screws.contents.lines.as_mut().and_then(|lines| lines.first_mut()) {
            line.quantity = Some("500".to_owned());
        }
        self.suggest("screws", "Screws for the workshop", &screws).await?;
        Ok(())
    }

    /// The assistant's client sends other contents under a known identity (rule 3).
    async fn identity_is_reused(&self) -> Result<(), DemoError> {
        let mut tape = proposal(
            vec![line("TP-50", "Packing tape 50 mm", "36", "XRO", "1.15")],
            "Stock 4.",
            &[],
        );
        self.suggest("tape", "Packing tape", &tape).await?;
        if let Some(line) = tape.contents.lines.as_mut().and_then(|lines| lines.first_mut()) {
            line.quantity = Some("360".to_owned());
        }
        let id: IntentId = "tape".parse().map_err(|_| DeskError::Absent("intent"))?;
        match self.desk.suggest(&self.assistant, Ok(&id), Ok(&tape)).await {
            Err(DeskError::IntentReused) => Ok(()),
            Err(other) => Err(other.into()),
            Ok(Taken::In(_) | Taken::Before(_)) => Err(DemoError::Late("a reused identity")),
        }
    }
}

fn charge(kind: &str, reason: &str, amount: &str) -> ChargeDraft {
    ChargeDraft {
        kind: Some(kind.to_owned()),
        reason: Some(reason.to_owned()),
        amount: Some(amount.to_owned()),
    }
}
