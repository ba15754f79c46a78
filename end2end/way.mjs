import { chromium } from "@playwright/test";
const [base, out, email='rolf@practice.example', scheme='light', w='1280', js='1'] = process.argv.slice(2);
const b = await chromium.launch({executablePath:"/usr/bin/chromium",args:["--no-sandbox","--disable-gpu","--disable-quic","--disable-background-networking"]});
const c = await b.newContext({viewport:{width:+w,height:800},colorScheme:scheme,javaScriptEnabled:js==='1'});
const p = await c.newPage();
p.on('console',m=>console.log(m.type(),m.text())); p.on('pageerror',e=>console.log('ERR',e.message));
await p.goto(base+'/sign-in'); await p.fill('input[name=email]',email); await p.fill('input[name=password]','practice-only'); await p.keyboard.press('Enter'); await p.waitForURL(base+'/');
await p.goto(base+'/orders');
const links=[...new Set(await p.locator("main a[href^='/orders/po']").evaluateAll(a=>a.map(x=>x.getAttribute('href'))))];
let i=0; for(const l of links){ await p.goto(base+l); const t=(await p.locator('h1').innerText()).replace(/\W+/g,'-').slice(0,40); await p.screenshot({path:`${out}/${i}-${t}.png`}); await p.screenshot({path:`${out}/${i++}-${t}-full.png`,fullPage:true}); console.log(l,t);}
await b.close();
