//! Setting the house up, from the command line: tenants, sites, suppliers, people, tokens.
//!
//! Promises: every change leaves an event; a tenant keeps a manager and no case loses its owner (rule 15). Must not: be
//! reachable from the web.

use super::owners::{Moving, Owners, today_in};
use super::pause::{PauseView, pause_view};
use super::people::{hash_password, token_hash};
use super::ready::{Readiness, SILENT_AFTER};
use super::working::walls_of;
use super::{Desk, DeskError, chain, clock};
use crate::domain::calendar;
use crate::domain::contents::{Fault, SiteCode, SupplierId};
use crate::domain::event::{Actor, Happening, Subject};
use crate::domain::ids::{PersonId, TenantId, TokenId};
use crate::domain::money::{Currency, Money, not_negative};
use crate::domain::ownership::Absence;
use crate::domain::person::Role;
use crate::domain::text;
pub use crate::store::people::Scope;
use crate::store::people::{PersonRow, TokenRow};
use crate::store::suppliers::SupplierRow;
use crate::store::tenants::TenantRow;
use crate::store::{Conn, Written, absences, cases, events, nodes, people, second_person, suppliers, tenants};
use crate::supplier::Supplier;
use chrono::{DateTime, Utc};

/// A person to be added.
#[derive(Debug, Clone)]
pub struct NewPerson {
    pub name: String,
    pub email: String,
    pub roles: Vec<Role>,
    pub password: Option<String>,
}

/// The fewest characters of a password; length is all that is asked (doors.md).
pub const SHORTEST_PASSWORD: usize = 8;

pub(super) fn faulty(field: &str, detail: impl std::fmt::Display) -> DeskError {
    DeskError::Faulty(vec![Fault::at(field, detail)])
}

/// Somebody of these, by e-mail address or id.
pub(super) fn named<'a>(everybody: &'a [PersonRow], who: &str) -> Option<&'a PersonRow> {
    let who = who.trim();
    let email = who.to_lowercase();
    everybody
        .iter()
        .find(|one| one.email == email || one.id.as_str() == who)
}

fn name_of(field: &str, given: &str) -> Result<String, DeskError> {
    text::identifier(given.trim(), 120).map_err(|fault| faulty(field, fault))
}

impl Desk {
    /// Sets the amount above which a second person confirms a finding, or takes a currency's away.
    pub async fn second_person_above(
        &self,
        tenant: &TenantId,
        currency: &str,
        amount: Option<&str>,
    ) -> Result<(), DeskError> {
        let currency: Currency = currency.parse().map_err(|fault| faulty("--currency", fault))?;
        let exact = |text: &str| Money::exact(currency, not_negative(text)?);
        let amount = amount.map(exact).transpose();
        let amount = amount.map_err(|fault| faulty("--above", fault))?;
        let mut tx = self.store.begin_write_in(tenant).await?;
        let written = match amount {
            Some(amount) => {
                second_person::amount_put(&mut tx, tenant, amount).await?;
                Written::Done
            }
            None => second_person::amount_remove(&mut tx, tenant, currency).await?,
        };
        if written == Written::Done {
            let happening = Happening::SecondPersonAbove { currency, amount };
            self.note(&mut tx, tenant, Subject::Tenant, happening, clock::now())
                .await?;
        }
        tx.commit().await?;
        Ok(())
    }

    /// The amounts above which a second person confirms a finding.
    pub async fn second_person_amounts(&self, tenant: &TenantId) -> Result<Vec<Money>, DeskError> {
        let mut read = self.store.begin_read().await?;
        Ok(second_person::amount_list(&mut read, tenant).await?)
    }

    /// Adds a tenant. `first`: refuses when there is one.
    pub async fn tenant_add(&self, name: &str, zone: &str, first: bool) -> Result<TenantId, DeskError> {
        let name = name_of("--tenant", name)?;
        if calendar::zone(zone).is_none() {
            return Err(faulty(
                "--zone",
                format!("\"{zone}\" is no time zone; write one such as Europe/Berlin"),
            ));
        }
        let now = clock::now();
        let mut tx = self.store.begin_write().await?;
        tenants::tenant_lock_all(&mut tx).await?;
        if first && !tenants::tenant_list(&mut tx).await?.is_empty() {
            return Err(DeskError::Taken(
                "the first tenant's place (`tenant add` adds further ones)",
            ));
        }
        let tenant = TenantRow {
            id: TenantId::from_random(clock::random()),
            name: name.clone(),
            zone: zone.to_owned(),
            salt: clock::secret(),
        };
        let added = tenants::tenant_add(&mut tx, &tenant, now).await;
        unless_taken(added, "a tenant's name")?;
        self.note(
            &mut tx,
            &tenant.id,
            Subject::Tenant,
            Happening::TenantCreated { name },
            now,
        )
        .await?;
        tx.commit().await?;
        Ok(tenant.id)
    }

    /// The tenant meant: by name, or the only one there is.
    pub async fn tenant_named(&self, name: Option<&str>) -> Result<TenantId, DeskError> {
        let mut read = self.store.begin_read().await?;
        let all = tenants::tenant_list(&mut read).await?;
        let names: Vec<&str> = all.iter().map(|one| &*one.name).collect();
        let names = names.join(", ");
        match (name, &all[..]) {
            (Some(name), all) => {
                let found = all.iter().find(|one| one.name == name || one.id.as_str() == name);
                found.map(|one| one.id.clone()).ok_or(DeskError::Absent("tenant"))
            }
            (None, [only]) => Ok(only.id.clone()),
            (None, []) => Err(faulty(
                "--tenant",
                "there is no tenant yet; `countersign init` makes the first",
            )),
            (None, _) => Err(faulty(
                "--tenant",
                format!("there are several tenants; say which of: {names}"),
            )),
        }
    }

    /// Whether there is any tenant.
    pub async fn is_empty(&self) -> Result<bool, DeskError> {
        let mut read = self.store.begin_read().await?;
        Ok(tenants::tenant_list(&mut read).await?.is_empty())
    }

    /// Adds a delivery site, or renames it.
    pub async fn site_add(&self, tenant: &TenantId, code: &str, name: &str) -> Result<(), DeskError> {
        let code: SiteCode = code.parse().map_err(|fault| faulty("CODE", fault))?;
        let name = name_of("--name", name)?;
        let now = clock::now();
        let mut tx = self.store.begin_write_in(tenant).await?;
        tenants::site_put(&mut tx, tenant, &code, &name, now).await?;
        let subject = Subject::Site(code.to_string());
        self.note(&mut tx, tenant, subject, Happening::SiteAdded { name }, now)
            .await?;
        tx.commit().await?;
        Ok(())
    }

    /// The tenant's sites with their names.
    pub async fn site_list(&self, tenant: &TenantId) -> Result<Vec<(SiteCode, String)>, DeskError> {
        let mut read = self.store.begin_read().await?;
        Ok(tenants::site_list(&mut read, tenant).await?)
    }

    /// Adds a supplier from its file, or a new version of it; answers id and version.
    pub async fn supplier_add(&self, tenant: &TenantId, file: &str) -> Result<(SupplierId, u32), DeskError> {
        let supplier = Supplier::of_new_file(file)?;
        let now = clock::now();
        let mut tx = self.store.begin_write_in(tenant).await?;
        let version = suppliers::supplier_put(&mut tx, tenant, &supplier.id, &supplier.name, file, now).await?;
        let subject = Subject::Supplier(supplier.id.to_string());
        self.note(&mut tx, tenant, subject, Happening::SupplierAdded { version }, now)
            .await?;
        tx.commit().await?;
        Ok((supplier.id, version))
    }

    /// The tenant's suppliers.
    pub async fn supplier_list(&self, tenant: &TenantId) -> Result<Vec<SupplierRow>, DeskError> {
        let mut read = self.store.begin_read().await?;
        Ok(suppliers::supplier_list(&mut read, tenant).await?)
    }

    /// Puts a supplier on hold: its orders wait, those approved later too.
    pub async fn supplier_hold(&self, tenant: &TenantId, id: &str, reason: &str) -> Result<(), DeskError> {
        let id: SupplierId = id.parse().map_err(|fault| faulty("ID", fault))?;
        let mut tx = self.store.begin_write_in(tenant).await?;
        suppliers::supplier_fetch(&mut tx, tenant, &id)
            .await?
            .ok_or(DeskError::Absent("supplier"))?;
        let now = clock::now();
        if self
            .supplier_hold_in(&mut tx, tenant, &id, reason, &Actor::CommandLine, now)
            .await?
            != Written::Done
        {
            return Err(DeskError::Stands("this supplier is on hold already"));
        }
        tx.commit().await?;
        Ok(())
    }

    /// Releases a supplier: what only it held is due.
    pub async fn supplier_release(&self, tenant: &TenantId, id: &str) -> Result<(), DeskError> {
        let id: SupplierId = id.parse().map_err(|fault| faulty("ID", fault))?;
        let mut tx = self.store.begin_write_in(tenant).await?;
        suppliers::supplier_fetch(&mut tx, tenant, &id)
            .await?
            .ok_or(DeskError::Absent("supplier"))?;
        let now = clock::now();
        if self
            .supplier_release_in(&mut tx, tenant, &id, &Actor::CommandLine, now)
            .await?
            != Written::Done
        {
            return Err(DeskError::Stands("this supplier is not on hold"));
        }
        self.commit_and_ring(tx).await
    }

    /// Adds a person.
    pub async fn person_add(&self, tenant: &TenantId, new: NewPerson) -> Result<PersonId, DeskError> {
        let name = name_of("NAME", &new.name)?;
        let email = new.email.trim().to_lowercase();
        let halves = email
            .split_once('@')
            .filter(|(local, domain)| !local.is_empty() && !domain.is_empty());
        if halves.is_none()
            || email
                .chars()
                .any(|letter| letter.is_whitespace() || text::is_hidden(letter))
        {
            return Err(faulty("--email", "an address such as name@example.com"));
        }
        if new.roles.is_empty() {
            return Err(faulty("--role", "at least one of buyer, resolver, manager, admin"));
        }
        let hash = match new.password {
            Some(password) if password.chars().count() < SHORTEST_PASSWORD => {
                return Err(faulty("password", format!("at least {SHORTEST_PASSWORD} characters")));
            }
            Some(password) => Some(hash_password(password).await?),
            None => None,
        };
        let id = PersonId::from_random(clock::random());
        let roles = new.roles;
        let person = PersonRow {
            id: id.clone(),
            tenant: tenant.clone(),
            name,
            email,
            roles: roles.clone(),
            disabled: false,
        };
        let now = clock::now();
        let mut tx = self.store.begin_write_in(tenant).await?;
        unless_taken(
            people::person_add(&mut tx, &person, hash.as_deref(), now).await,
            "this e-mail address",
        )?;
        let happening = Happening::PersonAdded {
            name: person.name,
            roles,
        };
        self.note(&mut tx, tenant, Subject::Person(id.clone()), happening, now)
            .await?;
        tx.commit().await?;
        Ok(id)
    }

    /// The tenant's people, each with an absence that is not over.
    pub async fn person_list(&self, tenant: &TenantId) -> Result<Vec<(PersonRow, Option<Absence>)>, DeskError> {
        let mut read = self.store.begin_read().await?;
        let today = today_in(&mut read, tenant, clock::now()).await?;
        let mut absences = absences::absence_list(&mut read, tenant).await?;
        absences.retain(|_, absence| absence.until >= today);
        let everybody = people::person_list(&mut read, tenant).await?.into_iter();
        let with = everybody.map(|one| {
            let absence = absences.remove(&one.id);
            (one, absence)
        });
        Ok(with.collect())
    }

    /// Disables a person; their open cases move in the same transaction, and the last manager stays (rule 15).
    pub async fn person_disable(&self, tenant: &TenantId, who: &str) -> Result<(), DeskError> {
        let now = clock::now();
        let mut tx = self.store.begin_write_in(tenant).await?;
        let all = people::person_list(&mut tx, tenant).await?;
        let person = named(&all, who).ok_or(DeskError::Absent("person"))?.clone();
        let is_manager = person.roles.contains(&Role::Manager);
        if is_manager && !people::has_manager(&mut tx, tenant, Some(&person.id)).await? {
            return Err(DeskError::Stands(
                "the last manager cannot be disabled: every case needs an owner",
            ));
        }
        if people::person_disable(&mut tx, &person.id, now).await? != Written::Done {
            return Err(DeskError::Stands("this person is disabled already"));
        }
        let subject = Subject::Person(person.id.clone());
        self.note(&mut tx, tenant, subject, Happening::PersonDisabled, now)
            .await?;
        self.move_cases(&mut tx, tenant, &person, now).await?;
        tx.commit().await?;
        Ok(())
    }

    async fn move_cases(
        &self,
        conn: &mut Conn,
        tenant: &TenantId,
        person: &PersonRow,
        now: DateTime<Utc>,
    ) -> Result<(), DeskError> {
        let mut owners = Owners::load(conn, tenant, now).await?;
        let walls = walls_of(conn, tenant).await?;
        for (case, about) in cases::case_owned(conn, tenant, &person.id).await? {
            let to = owners.next(conn, &about).await?;
            let moving = Moving {
                to_name: people::person_name(conn, &to.person).await?,
                reason: format!("{} was disabled", person.name),
                about: &about,
                case,
                to,
            };
            self.move_case(conn, tenant, moving, &Actor::CommandLine, &walls, now)
                .await?;
        }
        Ok(())
    }

    /// Makes a token; answers its id and its secret, which is shown once and never stored.
    pub async fn token_create(
        &self,
        tenant: &TenantId,
        name: &str,
        scope: Scope,
    ) -> Result<(TokenId, String), DeskError> {
        let name = name_of("NAME", name)?;
        let secret = format!("cst_{}", clock::secret());
        let id = TokenId::from_random(clock::random());
        let token = TokenRow {
            id: id.clone(),
            tenant: tenant.clone(),
            name: name.clone(),
            scope,
            revoked: false,
        };
        let now = clock::now();
        let mut tx = self.store.begin_write_in(tenant).await?;
        people::token_add(&mut tx, &token, &token_hash(&secret), now).await?;
        self.note(
            &mut tx,
            tenant,
            Subject::Token(id.clone()),
            Happening::TokenCreated { name },
            now,
        )
        .await?;
        tx.commit().await?;
        Ok((id, secret))
    }

    /// The tenant's tokens.
    pub async fn token_list(&self, tenant: &TenantId) -> Result<Vec<TokenRow>, DeskError> {
        let mut read = self.store.begin_read().await?;
        Ok(people::token_list(&mut read, tenant).await?)
    }

    /// Revokes a token.
    pub async fn token_revoke(&self, tenant: &TenantId, id: &str) -> Result<(), DeskError> {
        let id: TokenId = id.parse().map_err(|fault| faulty("ID", fault))?;
        let now = clock::now();
        let mut tx = self.store.begin_write_in(tenant).await?;
        if people::token_revoke(&mut tx, tenant, &id, now).await? != Written::Done {
            return Err(DeskError::Absent("token that is not revoked yet"));
        }
        self.note(&mut tx, tenant, Subject::Token(id), Happening::TokenRevoked, now)
            .await?;
        tx.commit().await?;
        Ok(())
    }

    /// Everything wrong with database, suppliers and people, each in a sentence, all at once.
    pub async fn check(&self) -> Result<Vec<String>, DeskError> {
        let mut faults = self.store.faults().await?;
        if !faults.is_empty() {
            return Ok(faults);
        }
        faults.extend(self.clocks_apart().faults);
        faults.extend(self.mail_fault());
        let mut read = self.store.begin_read().await?;
        for tenant in tenants::tenant_list(&mut read).await? {
            if !people::has_manager(&mut read, &tenant.id, None).await? {
                faults.push(format!("{}: no manager, so no suggestion is taken", tenant.name));
            }
            for row in suppliers::supplier_list(&mut read, &tenant.id).await? {
                let fault = match row.file.parse::<Supplier>() {
                    Ok(supplier) => supplier.secret().err().map(|fault| fault.to_string()),
                    Err(fault) => Some(fault.to_string()),
                };
                faults.extend(fault.map(|fault| format!("{}: supplier {}: {fault}", tenant.name, row.id)));
            }
            let chain = chain::walk(&mut read, &tenant).await?;
            faults.extend(chain.faults);
            faults.extend(clock_fault(&tenant.name, chain.last.as_deref()));
        }
        Ok(faults)
    }

    /// What is worth saying and no fault: a clock that is a little off, a pause, and that none of the processes at work
    /// sends orders. Before the first start nobody expects one.
    pub async fn remarks(&self) -> Result<Vec<String>, DeskError> {
        let mut remarks = self.clocks_apart().remarks;
        let mut read = self.store.begin_read().await?;
        for tenant in tenants::tenant_list(&mut read).await? {
            if let Some(PauseView { pause, held }) = pause_view(&mut read, &tenant.id).await? {
                let (name, since, because) = (&tenant.name, pause.since, &pause.because);
                let since = since.format("%Y-%m-%d %H:%M UTC");
                remarks.push(format!(
                    "{name} is paused since {since}, and {held} orders from before are held: {because}"
                ));
            }
        }
        let known = nodes::node_list(&mut read).await?;
        let recent = clock::now() - SILENT_AFTER;
        if !known.is_empty() && !known.iter().any(|node| node.works && node.beat_at >= recent) {
            remarks.push("no worker was heard of lately, so nothing is sent (`countersign work`)".to_owned());
        }
        Ok(remarks)
    }

    fn clocks_apart(&self) -> Readiness {
        let mut found = Readiness::default();
        found.judge_skew(clock::skew());
        found
    }

    /// Notes what the command line did.
    pub(super) async fn note(
        &self,
        conn: &mut Conn,
        tenant: &TenantId,
        subject: Subject,
        happening: Happening,
        now: DateTime<Utc>,
    ) -> Result<(), DeskError> {
        events::event_append(conn, tenant, &Actor::CommandLine, subject, happening, now).await?;
        Ok(())
    }
}

/// A clock that is behind what was already written would shorten leases and windows.
fn clock_fault(tenant: &str, last_event: Option<&str>) -> Option<String> {
    let last: crate::domain::event::Event = serde_json::from_str(last_event?).ok()?;
    let now = clock::now();
    (last.at > now + clock::GIVE_OR_TAKE)
        .then(|| format!("{tenant}: the clock says {now}, and the last event is from {}", last.at))
}

fn unless_taken(added: Result<(), crate::store::StoreError>, what: &'static str) -> Result<(), DeskError> {
    match added {
        Err(error) if error.is_taken() => Err(DeskError::Taken(what)),
        other => Ok(other?),
    }
}
