// Exports of the sandbox's pages for the server. The server supplies the data and sends the pages.
export { styles } from './document.tsx';
export { renderNotice, renderSandbox } from './start.tsx';
export { renderPhone, renderPhoneList } from './phone.tsx';
export { renderScan, renderScanForm } from './scan.tsx';
export { renderAtm, renderSlips } from './atm.tsx';
export { renderCallbacks } from './callbacks.tsx';
export { renderInbox } from './inbox.tsx';
export { renderOrder } from './order.tsx';
export { renderShop } from './shop.tsx';
