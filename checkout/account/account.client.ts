// The script of account and sign-in pages: a button that shows a typed password. Without it the button is absent.
import { showRevealButtons } from './reveal.ts';

showRevealButtons(document);
