// The console's only stylesheet. Its exact text determines the CSP hash.
import { pageOnly } from '../checkout/styles.ts';
import books from './books.css?inline';
import text from './console.css?inline';
import articles from './articles.css?inline';
import poster from './poster.css?inline';
import receipt from './receipt.css?inline';
import shell from './shell.css?inline';
import shifts from './shifts.css?inline';
import till from './till.css?inline';

export const styles: string = [text, articles, books, poster, receipt, shell, shifts, till].map(pageOnly).join('');
