// The exports for the server: the pages of payment links as text, and their stylesheet.
export { renderLink, renderLinkMissing, renderLinkTrouble } from './pages.tsx';
export { styles, stylesOf } from './styles.ts';
