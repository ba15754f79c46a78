//! Acts on an order or a case, from what a form carries to the page that follows.

use super::{broken, desk, go_to, person};
use crate::calls::CallError;
use crate::desk::close::ByDecision;
use crate::desk::decide::missing;
use crate::desk::own::{Handover, WithOrder};
use crate::desk::settle::FoundByHand;
use crate::desk::{Desk, DeskError, Person};
use crate::domain::decision::Decision;
use crate::domain::ids::{CaseId, OrderId};
use crate::domain::look_up::FindingWord;
use crate::domain::pages::Target;
use crate::domain::refusal::Refusal;
use std::str::FromStr;

/// What a form carried, in the order of its fields, with the act it was typed into.
pub struct Typed(Vec<(String, String)>);

impl Typed {
    /// The fields that came.
    pub fn new<const N: usize>(act: &str, fields: [(&str, Option<String>); N]) -> Self {
        let came = fields
            .into_iter()
            .filter_map(|(name, value)| value.map(|value| (name.to_owned(), value)));
        Self(
            std::iter::once(("act".to_owned(), act.to_owned()))
                .chain(came)
                .collect(),
        )
    }

    /// With fields that a form has several times.
    pub(super) fn and(mut self, fields: impl Iterator<Item = (String, String)>) -> Self {
        self.0.extend(fields);
        self
    }

    /// The act and the fields, as they are kept in a draft.
    pub(super) fn fields(&self) -> &[(String, String)] {
        &self.0
    }

    fn field(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().find(|(field, _)| field == name);
        found.map(|(_, value)| value.as_str())
    }

    /// A field that must be there and readable: a missing one is never a default.
    pub(super) fn read<T: FromStr>(&self, name: &str, what: &str) -> Result<T, Refusal> {
        let text = self.field(name).map(str::trim).filter(|text| !text.is_empty());
        let text = text.ok_or_else(|| missing(name, &format!("is missing: {what}")))?;
        text.parse().map_err(|_| missing(name, &format!("is not {what}")))
    }

    pub(super) fn text(&self, name: &str) -> String {
        self.field(name).unwrap_or_default().to_owned()
    }

    fn order(&self) -> Result<OrderId, Refusal> {
        self.read("order", "an order’s id, as po_…")
    }

    fn finding(&self) -> Result<FindingWord, Refusal> {
        let words = "one of at_supplier, refused_there, not_at_supplier, could_not_tell";
        FindingWord::of(&self.read::<String>("finding", words)?)
            .ok_or_else(|| missing("finding", &format!("is not {words}")))
    }

    fn version(&self) -> Result<u64, Refusal> {
        self.read("version", "the version that the page showed")
    }
}

/// `/act/look_up`
pub async fn look_up(typed: Typed) -> Result<(), CallError> {
    let (desk, person) = (desk()?, person()?);
    let done = async {
        let (order, version) = (typed.order()?, typed.version()?);
        desk.look_up(&person, &order, version).await?;
        Ok(order)
    };
    then_order(&desk, &person, &typed, done.await).await
}

/// `/act/resume`
pub async fn resume(typed: Typed) -> Result<(), CallError> {
    let (desk, person) = (desk()?, person()?);
    let done = async {
        let (order, version) = (typed.order()?, typed.version()?);
        desk.resume(&person, &order, version).await?;
        Ok(order)
    };
    then_order(&desk, &person, &typed, done.await).await
}

/// `/act/record_finding`
pub async fn record_finding(typed: Typed) -> Result<(), CallError> {
    let (desk, person) = (desk()?, person()?);
    let done = async {
        let (order, version) = (typed.order()?, typed.version()?);
        let found = FoundByHand {
            finding: typed.finding()?,
            reference: typed.field("reference").map(str::to_owned),
            evidence: typed.text("evidence"),
        };
        desk.record_finding(&person, &order, version, &found).await?;
        Ok(order)
    };
    then_order(&desk, &person, &typed, done.await).await
}

/// `/act/decline_finding`
pub async fn decline_finding(typed: Typed) -> Result<(), CallError> {
    let (desk, person) = (desk()?, person()?);
    let done = async {
        let (order, version) = (typed.order()?, typed.version()?);
        let shown = (
            typed.finding()?,
            typed.field("reference").filter(|text| !text.is_empty()),
        );
        desk.decline_finding(&person, &order, version, shown, &typed.text("reason"))
            .await?;
        Ok(order)
    };
    then_order(&desk, &person, &typed, done.await).await
}

/// `/act/hold`, `/act/release`, `/act/withdraw`
pub async fn with_order(typed: Typed, what: WithOrder) -> Result<(), CallError> {
    let (desk, person) = (desk()?, person()?);
    let done = async {
        let (order, version) = (typed.order()?, typed.version()?);
        desk.with_order(&person, &order, version, what, &typed.text("reason"))
            .await?;
        Ok(order)
    };
    then_order(&desk, &person, &typed, done.await).await
}

/// `/act/end_pause`: then the queue.
pub async fn end_pause(typed: Typed) -> Result<(), CallError> {
    let (desk, person) = (desk()?, person()?);
    match desk.end_pause(&person, &typed.text("reason")).await {
        Ok(()) => go_to("/"),
        Err(DeskError::Refused(refusal)) => {
            let draft = desk.keep_draft(&person, &typed.0, &refusal).await;
            go_to(&format!("/?refused={}", draft.map_err(|error| broken(&error))?));
        }
        Err(other) => return Err(broken(&other)),
    }
    Ok(())
}

/// `/act/close_case`: then the page of what the case is about.
pub async fn close_case(typed: Typed) -> Result<(), CallError> {
    let (desk, person) = (desk()?, person()?);
    let done = async {
        let case: CaseId = typed.read("case", "a case’s id, as case_…")?;
        let version = typed.version()?;
        let words = Decision::ALL.map(Decision::word).join(", ");
        let by = ByDecision {
            decision: Decision::of(&typed.read::<String>("decision", &format!("one of {words}"))?)
                .ok_or_else(|| missing("decision", &format!("is not one of {words}")))?,
            reason: typed.text("reason"),
            reference: typed.field("reference").map(str::to_owned),
        };
        desk.close_case(&person, &case, version, &by).await
    };
    then_case(&desk, &person, &typed, done.await).await
}

/// `/act/assign`: then the page of what the case is about.
pub async fn assign(typed: Typed) -> Result<(), CallError> {
    let (desk, person) = (desk()?, person()?);
    let done = async {
        let case: CaseId = typed.read("case", "a case’s id, as case_…")?;
        let version = typed.version()?;
        let to = Handover {
            owner: typed.read("owner", "a person’s id, as per_…")?,
            due_at: typed.text("due_at"),
            reason: typed.text("reason"),
        };
        desk.assign(&person, &case, version, &to).await
    };
    then_case(&desk, &person, &typed, done.await).await
}

/// `/act/acknowledge`: then the page of what the case is about.
pub async fn acknowledge(typed: Typed) -> Result<(), CallError> {
    let (desk, person) = (desk()?, person()?);
    let done = async {
        let case: CaseId = typed.read("case", "a case’s id, as case_…")?;
        desk.acknowledge(&person, &case, typed.version()?).await
    };
    then_case(&desk, &person, &typed, done.await).await
}

/// To the page of what a case is about; refused, too.
async fn then_case(
    desk: &Desk,
    person: &Person,
    typed: &Typed,
    done: Result<Target, DeskError>,
) -> Result<(), CallError> {
    match done {
        Ok(about) => {
            go_to(&about.path());
            Ok(())
        }
        Err(error) => {
            let of_case = match typed.field("case").and_then(|id| id.parse::<CaseId>().ok()) {
                Some(case) => desk.case_target(person, &case).await.map_err(|error| broken(&error))?,
                None => None,
            };
            refused(desk, person, typed, of_case, error).await
        }
    }
}

async fn then_order(
    desk: &Desk,
    person: &Person,
    typed: &Typed,
    done: Result<OrderId, DeskError>,
) -> Result<(), CallError> {
    match done {
        Ok(order) => {
            go_to(&Target::Order(order).path());
            Ok(())
        }
        Err(error) => refused(desk, person, typed, None, error).await,
    }
}

/// Back to the page it came from, with the reason at its top and what was typed kept (rule 18).
async fn refused(
    desk: &Desk,
    person: &Person,
    typed: &Typed,
    of_case: Option<Target>,
    error: DeskError,
) -> Result<(), CallError> {
    let order = typed.order().ok().map(Target::Order);
    let (refusal, back) = match error {
        DeskError::Refused(refusal) => (refusal, of_case.or(order)),
        DeskError::Absent(what) => (missing(what, &format!("there is no such {what}")), None),
        other => return Err(broken(&other)),
    };
    let draft = desk
        .keep_draft(person, &typed.0, &refusal)
        .await
        .map_err(|error| broken(&error))?;
    let page = back.map_or_else(|| "/orders".to_owned(), |target| target.path());
    go_to(&format!("{page}?refused={draft}"));
    Ok(())
}
