// What the server asks of the pages of payment links: whole documents as text, and the stylesheet they carry.
export { renderLink, renderLinkMissing, renderLinkTrouble } from './pages.tsx';
export { styles, stylesOf } from './styles.ts';
