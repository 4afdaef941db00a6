// The JSX factory of the pages and the widget. With it, pages keep working when a browser translates them.
// A browser that translates a page replaces text nodes, and Preact would then update detached nodes.
// Therefore a changed text gets a new element instead of a changed text node.
import { h, type ComponentType, type VNode } from 'preact';

type Props = Record<string, unknown> | null;

const isText = (child: unknown) => typeof child === 'string' || typeof child === 'number';

/**
 * Elements that must stay when their text changes, because a replaced button loses the focus,
 * and a replaced live region is not announced. The texts of such elements are wrapped in a `span`.
 */
const isLasting = (type: string, props: Props) => type === 'button' || props?.['role'];

/** The build compiles JSX to calls of this function (vite.config.ts). */
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
