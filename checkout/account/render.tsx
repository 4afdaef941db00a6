// The exports for the server: the account pages, the front page, the privacy notice, the opt-out page, and their stylesheet.
export { renderAccount, renderAccountMissing, renderAccountTrouble } from './pages.tsx';
export { renderFront, renderNowhere } from './front.tsx';
export { renderNotice, renderNoticeMissing } from './notice.tsx';
export { renderOptOut, renderOptOutMissing } from './opt-out.tsx';
export { styles } from './styles.ts';
