// The exports for the server: account pages, front page, privacy notice, opt-out page, and their stylesheet.
export { renderAccount, renderAccountMissing, renderAccountTrouble } from './pages.tsx';
export { renderFront, renderNowhere } from './front.tsx';
export { renderNotice, renderNoticeMissing } from './notice.tsx';
export { renderOptOut, renderOptOutMissing } from './opt-out.tsx';
export { styles } from './styles.ts';
