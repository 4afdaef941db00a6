// `Balcao.mount`: a payment put into an element of the page. It needs the element's name only, so the loader has it too.
import { PAYMENT_TAG } from './shell.ts';
import type { mount as Mount, MountOptions } from './widget.d.ts';

/** Puts a payment into an element of the page. @throws TypeError when there is no such element */
export const mount: typeof Mount = (target, { onStatus, ...options }) => {
  const place = typeof target === 'string' ? document.querySelector(target) : target;
  if (!place) throw new TypeError('Balcao.mount: no such element');
  const payment = document.createElement(PAYMENT_TAG);
  for (const [name, value] of Object.entries(options satisfies Omit<MountOptions, 'onStatus'>))
    if (value !== undefined) payment.setAttribute(name, value);
  if (onStatus) payment.addEventListener('balcao:status', (event) => onStatus(event.detail));
  place.append(payment);
  return { unmount: () => payment.remove() };
};
