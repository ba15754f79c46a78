//! A signed-in person with a browser that keeps its cookie and runs no script.

use super::{Answer, House, Suggested};

/// A person's session.
#[derive(Clone)]
pub struct Session<'a> {
    pub house: &'a House,
    /// `name=value`, as the browser sends it.
    pub cookie: String,
}

impl<'a> Session<'a> {
    pub async fn open(house: &'a House, email: &str, password: &str) -> Self {
        let answer = sign_in(house, &[("email", email), ("password", password)]).await;
        assert_eq!((answer.status, answer.location()), (303, "/"), "{answer:?}");
        let cookie = answer.header("set-cookie").split(';').next();
        let cookie = cookie.filter(|cookie| cookie.contains('='));
        Self {
            house,
            cookie: cookie.expect("a session cookie").to_owned(),
        }
    }

    pub async fn get(&self, path: &str) -> Answer {
        let request = self.house.http.get(format!("{}{path}", self.house.base));
        Answer::of(request.header("Cookie", &self.cookie)).await
    }

    /// A form of our own pages, without JavaScript.
    pub fn form(&self, path: &str, fields: &[(&str, &str)]) -> reqwest::RequestBuilder {
        form(self.house, path, fields).header("Cookie", &self.cookie)
    }

    pub async fn post(&self, path: &str, fields: &[(&str, &str)]) -> Answer {
        Answer::of(self.form(path, fields)).await
    }

    /// Approves what the screen showed; answers the order's id.
    pub async fn approve(&self, shown: &Suggested) -> String {
        self.approve_with(shown, &[]).await
    }

    pub async fn approve_with(&self, shown: &Suggested, more: &[(&str, &str)]) -> String {
        let mut fields = vec![("suggestion", &*shown.id), ("digest", &*shown.digest)];
        fields.extend(more);
        let answer = self.post("/act/approve", &fields).await;
        assert_eq!(answer.status, 303, "{answer:?}");
        let order = answer.location().strip_prefix("/orders/");
        let order = order.unwrap_or_else(|| panic!("not an order's page: {answer:?}"));
        assert!(order.starts_with("po_") && !order.contains('?'), "{order}");
        order.to_owned()
    }
}

/// A form post from a page of this house.
pub fn form(house: &House, path: &str, fields: &[(&str, &str)]) -> reqwest::RequestBuilder {
    let url = format!("{}{path}", house.base);
    let post = house.http.post(url).header("Origin", &house.base);
    post.header("Accept", "text/html").form(fields)
}

pub async fn sign_in(house: &House, fields: &[(&str, &str)]) -> Answer {
    Answer::of(form(house, "/sign-in", fields)).await
}
