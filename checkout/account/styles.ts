// The one stylesheet of these pages, as the exact text that their CSP hash is made of.
import text from './account.css?inline';

export const styles: string = text.trim();
