// The HTML page of a fake. Its buttons act as the payer or the network on the fake's rows, newest first.
import type { FakeRow } from './fake.ts';

/** The CSS of the fake's page. */
export const FAKE_STYLES = `
:root{color-scheme:light dark}
body{margin:0 auto;max-width:44rem;padding:1rem;font:1rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
h1{margin:.5rem 0 0;font-size:1.5rem;line-height:1.2}
ul{margin:1rem 0;padding:0;list-style:none}
li{margin:0 0 .75rem;padding:.75rem 1rem;border:1px solid GrayText;border-radius:.5rem}
p{margin:0}
form{display:flex;flex-wrap:wrap;gap:.5rem;margin-top:.75rem}
form:empty{display:none}
button{min-height:2.75rem;padding:0 1rem;font:inherit}
a{display:inline-block;padding:.5rem 0;color:inherit}
.what{font-weight:600}
`;

/** Returns the HTML page of a fake. Its forms post to `_act`. */
export function writeFakePage(title: string, rows: FakeRow[]): string {
  const items = rows.toReversed().map(writeRow).join('');
  const list = items ? `<ul>${items}</ul>` : '<ul><li>No requests yet.</ul>';
  const heading = `${escape(title)} (fake)`;
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">',
    `<title>${heading}</title><link rel="icon" href="data:,"><style>${FAKE_STYLES}</style></head>`,
    `<body><main><h1>${heading}</h1><p>No money moves. Newest first; states are in the provider’s own words.</p>`,
    `<p><a href="./">Reload</a></p>${list}</main></body></html>`,
  ].join('');
}

function writeRow({ id, what, state, actions }: FakeRow, nth: number): string {
  const write = (action: string) => {
    const label = escape(nameAction(action));
    return `<button name="action" value="${escape(action)}" aria-describedby="row${nth}">${label}</button>`;
  };
  const idField = `<input type="hidden" name="id" value="${escape(id)}">`;
  const form = `<form method="post" action="_act">${idField}${actions.map(write).join('')}</form>`;
  const text = `<p class="what" id="row${nth}">${escape(what)}</p><p>${escape(state)}</p>`;
  return `<li>${text}${actions.length > 0 ? form : ''}</li>`;
}

const nameAction = (action: string) => action.charAt(0).toUpperCase() + action.slice(1);

function escape(text: string): string {
  return text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);
}
