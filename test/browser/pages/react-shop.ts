// A shop in React that pays with both components, rendered by its server or in the browser.
import { createElement, StrictMode, useState, type ReactElement } from 'react';
import { createRoot, hydrateRoot } from 'react-dom/client';
import { BalcaoCheckout, BalcaoPayment, type BalcaoDetail } from '../../../packages/react/src/elements.ts';

type ShopProps = { gateway: string; token: string; other: string };

export function Shop({ gateway, token, other }: ShopProps): ReactElement {
  const [heard, setHeard] = useState<string[]>([]);
  const [isOpen, setOpen] = useState(false);
  const [isShown, setShown] = useState(true);
  const hear = (what: string) => (detail: BalcaoDetail | null) =>
    setHeard((all) => [...all, `${what} ${detail?.status}`]);
  const close = (detail: BalcaoDetail | null) => {
    hear('closed')(detail);
    setOpen(false);
  };
  const onBlocked = () => setHeard((all) => [...all, 'blocked']);
  const events = { onStatus: hear('status'), onPaid: hear('paid'), onFailed: hear('failed') };
  const link = createElement('a', { href: '/pay' }, 'Pagar');
  return createElement(
    StrictMode,
    null,
    isShown && createElement(BalcaoPayment, { gateway, token, ...events }, link),
    createElement(BalcaoCheckout, { gateway, token: other, open: isOpen, onClose: close, onBlocked }),
    createElement('button', { onClick: () => setOpen(true) }, 'Numa janela'),
    createElement('button', { onClick: () => setShown(false) }, 'Tirar'),
    createElement('output', null, heard.join(', ')),
  );
}

/** Hydrates the page if its server rendered it, else renders it. */
function start(root: HTMLElement): void {
  const { gateway = '', token = '', other = '' } = root.dataset;
  const shop = createElement(Shop, { gateway, token, other });
  if (root.hasChildNodes()) hydrateRoot(root, shop);
  else createRoot(root).render(shop);
}

if (typeof document !== 'undefined') start(document.querySelector<HTMLElement>('#root')!);
