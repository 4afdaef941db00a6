// The interface of the built sandbox pages (dist/ssr/sandbox.js) for the server.
import type {
  AtmView,
  CallbacksPage,
  InboxView,
  SlipsView,
  SandboxView,
  PhoneListView,
  PhoneView,
  ScanFormView,
  ScanView,
  ShopView,
  OrderView,
  NoticeView,
} from '../shared/sandbox.ts';

/** Functions that render the sandbox's HTML pages, and the text of their style element for the CSP hash. */
export type SandboxRender = {
  styles: string;
  renderSandbox(view: SandboxView): string;
  renderPhoneList(view: PhoneListView): string;
  renderPhone(view: PhoneView & { script: string | null }): string;
  renderScanForm(view: ScanFormView & { script: string | null }): string;
  renderScan(view: ScanView): string;
  renderAtm(view: AtmView): string;
  renderSlips(view: SlipsView): string;
  renderCallbacks(view: CallbacksPage): string;
  renderInbox(view: InboxView): string;
  renderShop(view: ShopView & { script: string | null }): string;
  renderOrder(view: OrderView & { isDialog: boolean; script: string | null }): string;
  renderNotice(view: NoticeView): string;
};
