// The widget's renderer: makes what stands in the page into what a screen describes. Small, for every merchant's page carries it.
import type { JSX as Known } from 'preact';

type Props = Record<string, unknown>;
type Child = Drawn | string | number | false | null | undefined | readonly Child[];

/** An element as it shall be. One that never had children is left what others put into it. */
export type Drawn = { tag: string; props: Props; children: readonly Child[] };

export declare namespace h {
  namespace JSX {
    type Element = Drawn;
    type IntrinsicElements = Known.IntrinsicElements;
    type ElementChildrenAttribute = { children: unknown };
  }
}

const SVG = 'http://www.w3.org/2000/svg';

/** What an element was last drawn from. */
const drawn = new WeakMap<Node, Drawn>();

/**
 * Gives an element these children, changing as little as can be: what stands at its place already keeps what was typed
 * into it, and the focus. A child that is left out (`false`, `null`) keeps its place for when it comes; a list, which may
 * grow, comes last among its siblings.
 */
export function draw(parent: Element, wanted: readonly Child[]) {
  const children = wanted.flat() as Exclude<Child, readonly Child[]>[];
  const there = parent.childNodes;
  children.forEach((child, at) => {
    const old = there[at];
    const node = child && typeof child === 'object' ? drawElement(parent, child, old) : drawText(`${child || ''}`, old);
    if (!old) parent.append(node);
    else if (node !== old) old.replaceWith(node);
  });
  while (there.length > children.length) parent.lastChild!.remove();
}

function drawText(text: string, old?: Node): Node {
  if (!(old instanceof Text)) return new Text(text);
  if (old.data !== text) old.data = text;
  return old;
}

function drawElement(parent: Element, wanted: Drawn, old?: ChildNode): Element {
  const { tag, props, children } = wanted;
  const isSame = old instanceof Element && old.localName === tag;
  const node = isSame ? old : document.createElementNS(tag === 'svg' ? SVG : parent.namespaceURI, tag);
  const before = drawn.get(node) ?? h(tag, null);
  drawn.set(node, wanted);
  for (const name of Object.keys({ ...before.props, ...props })) {
    const value = props[name];
    if (name.startsWith('on')) Object.assign(node, { [name.toLowerCase()]: value });
    else if (value == null) node.removeAttribute(name);
    else if (value !== before.props[name]) node.setAttribute(name, `${value}`);
  }
  if (children.length + before.children.length) draw(node, children);
  return node;
}

/** What JSX is turned into. True and false are written out, as `aria-` attributes want them; null leaves an attribute out. */
export function h(tag: string, props: Props | null, ...children: Child[]): Drawn {
  return { tag, props: props ?? {}, children };
}
