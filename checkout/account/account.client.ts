// The script of account and sign-in pages: a button that shows a typed password, which is absent without it.
// After a sign-out, it deletes what the console keeps in the browser.
import { forgetVisitor } from './forget.ts';
import { showRevealButtons } from './reveal.ts';

showRevealButtons(document);
void forgetVisitor().catch(() => {});
