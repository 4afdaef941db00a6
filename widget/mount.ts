// `Balcao.mount`: adds a payment to an element of the page. It works before the widget has loaded.
import { PAYMENT_TAG } from './shell.ts';
import type { mount as Mount, MountOptions } from './widget.d.ts';

/** Adds a payment to an element of the page. @throws TypeError if the element does not exist */
export const mount: typeof Mount = (target, { onStatus, ...options }) => {
  const parent = typeof target === 'string' ? document.querySelector(target) : target;
  if (!parent) throw new TypeError('Balcao.mount: no such element');
  const payment = document.createElement(PAYMENT_TAG);
  for (const [name, value] of Object.entries(options satisfies Omit<MountOptions, 'onStatus'>))
    if (value !== undefined) payment.setAttribute(name, value);
  if (onStatus) payment.addEventListener('balcao:status', (event) => onStatus(event.detail));
  parent.append(payment);
  return { unmount: () => payment.remove() };
};
