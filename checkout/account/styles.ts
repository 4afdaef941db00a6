// The stylesheet of the account pages: the exact text of the style element, because the CSP contains its hash.
import text from './account.css?inline';

export const styles: string = text.trim();
