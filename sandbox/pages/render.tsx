// Exports of the sandbox's pages for the server, which fills them with data and sends them.
export { styles } from './document.tsx';
export { renderNotice, renderSandbox } from './start.tsx';
export { renderPhone, renderPhoneList } from './phone.tsx';
export { renderScan, renderScanForm } from './scan.tsx';
export { renderAtm, renderSlips } from './atm.tsx';
export { renderCallbacks } from './callbacks.tsx';
export { renderInbox } from './inbox.tsx';
export { renderOrder } from './order.tsx';
export { renderShop } from './shop.tsx';
