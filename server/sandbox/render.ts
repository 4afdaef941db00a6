// What the built pages of the sandbox (dist/ssr/sandbox.js) offer the server.
import type { SandboxView, PhoneListView, PhoneView, ShopView, OrderView, NoticeView } from '../../shared/sandbox.ts';

/** HTML documents by name, and the exact text of their one style element for the policy's hash. */
export type SandboxRender = {
  styles: string;
  renderSandbox(view: SandboxView): string;
  renderPhoneList(view: PhoneListView): string;
  renderPhone(view: PhoneView & { script: string | null }): string;
  renderShop(view: ShopView & { script: string | null }): string;
  renderOrder(view: OrderView & { script: string | null }): string;
  renderNotice(view: NoticeView): string;
};
