// What the server asks of the pages behind links in letters and messages: whole documents as text, and the stylesheet they carry.
export { renderAccount, renderAccountMissing, renderAccountTrouble } from './pages.tsx';
export { renderNotice, renderNoticeMissing } from './notice.tsx';
export { renderOptOut, renderOptOutMissing } from './opt-out.tsx';
export { styles } from './styles.ts';
