// Makes elements for pages that a script redraws. Browsers that translate a page replace its text nodes, and Preact
// would then change nodes that are no longer in the page. So no text node ever changes: its element is replaced.
import { h, type ComponentType, type VNode } from 'preact';

type Props = Record<string, unknown> | null;

const isText = (child: unknown) => typeof child === 'string' || typeof child === 'number';

/** Buttons keep the focus, and live regions are announced only while they stay: their texts get elements of their own. */
const isLasting = (type: string, props: Props) => type === 'button' || props?.['role'];

/** JSX becomes calls of this function (vite.config.ts). */
export function make(type: string | ComponentType, props: Props, ...children: unknown[]): VNode {
  if (typeof type === 'string' && children.some(isText)) {
    if (isLasting(type, props) || children.some((child) => child && !isText(child)))
      children = children.map((child) =>
        isText(child) ? h('span', { key: child as string }, child as string) : child,
      );
    else props = { ...props, key: `${props?.['key']}${children}` };
  }
  return h(type as 'p', props, ...(children as string[]));
}
