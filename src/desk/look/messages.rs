//! What people were told by e-mail, and how often it was tried.

use super::{PAGE, draft_of};
use crate::desk::{Desk, DeskError, Person};
use crate::domain::ids::{DraftId, MessageId};
use crate::domain::message::{MessageShown, Try, may_send_again};
use crate::domain::pages::MessagesPage;
use crate::store::outbox::{message_page, try_list};
use std::collections::HashMap;

impl Desk {
    /// The tenant's messages, newest first. Everybody of it may read them: the facts are on their pages anyway.
    pub async fn messages_page(
        &self,
        person: &Person,
        after: Option<&MessageId>,
        refused: Option<&DraftId>,
    ) -> Result<MessagesPage, DeskError> {
        let mut read = self.store.begin_read().await?;
        let viewer = self.viewer(&mut read, person).await?;
        let mut rows = message_page(&mut read, person.tenant(), after, viewer.now, PAGE + 1).await?;
        let more = rows.len() > PAGE as usize;
        rows.truncate(PAGE as usize);
        let next = rows.last().filter(|_| more).map(|last| last.id.clone());
        let ids: Vec<&MessageId> = rows.iter().map(|row| &row.id).collect();
        let mut tries: HashMap<MessageId, Vec<Try>> = HashMap::new();
        for (message, tried) in try_list(&mut read, &ids).await? {
            tries.entry(message).or_default().push(tried);
        }
        let messages = rows.into_iter().map(|row| MessageShown {
            may_send_again: may_send_again(&row.state, row.past, &viewer.roles, row.to == viewer.id, viewer.now),
            tries: tries.remove(&row.id).unwrap_or_default(),
            id: row.id,
            kind: row.kind,
            to_name: row.to_name,
            subject: row.subject,
            body: row.body,
            case: row.case,
            written_at: row.written_at,
            state: row.state,
        });
        Ok(MessagesPage {
            messages: messages.collect(),
            is_set_up: self.mail.is_some(),
            draft: draft_of(&mut read, person, refused).await?,
            viewer,
            next,
        })
    }
}
