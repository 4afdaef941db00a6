// The custom elements as the page's browser knows them: names, attributes, and when they begin and end. What they then do comes with the widget.

/** Shows what the element is for; the returned function ends it. Nothing while there is nothing to show. */
export type Conduct = (host: HTMLElement) => (() => void) | undefined;

export const PAYMENT_TAG = 'balcao-payment';
export const CHECKOUT_TAG = 'balcao-checkout';

const ATTRIBUTES = {
  [PAYMENT_TAG]: ['token', 'lang', 'gateway'],
  [CHECKOUT_TAG]: ['open', 'token', 'lang', 'theme', 'gateway'],
};

export type Tag = keyof typeof ATTRIBUTES;
export type Conducts = Record<Tag, Conduct>;

/** What frameworks may set as properties too; `lang` every element has. */
const PROPERTIES = ['token', 'theme', 'gateway'];

type Shell = CustomElementConstructor & { bringConduct?(conduct: Conduct): void };

/** Defines the elements, once: another copy of the script, another version of it, or a server that imports it, changes nothing. */
export function defineElements(conducts: Conducts) {
  if (typeof customElements === 'undefined') return;
  for (const tag of Object.keys(conducts) as Tag[]) {
    const known = customElements.get(tag) as Shell | undefined;
    if (known) known.bringConduct?.(conducts[tag]);
    else defineShell(tag, conducts[tag]);
  }
}

/** Defines an element; one without a conduct asks for it each time that one more of its kind needs it. */
export function defineShell(tag: Tag, conduct?: Conduct, askConduct?: (host: HTMLElement) => void) {
  const waiting = new Set<BalcaoElement>();

  class BalcaoElement extends HTMLElement {
    // Declared only: fields that are set would be rewritten for old browsers, at some length.
    declare isIn: boolean | undefined;
    declare isBusy: boolean | undefined;
    declare isStale: boolean | undefined;
    declare end: (() => void) | undefined;

    static get observedAttributes() {
      return ATTRIBUTES[tag];
    }

    static bringConduct(brought: Conduct) {
      if (conduct) return;
      conduct = brought;
      waiting.forEach(renew);
      waiting.clear();
    }

    connectedCallback() {
      adoptProperties(this);
      this.isIn = true;
      renew(this);
    }

    disconnectedCallback() {
      this.isIn = false;
      waiting.delete(this);
      renew(this);
    }

    attributeChangedCallback(_name: string, last: string | null, next: string | null) {
      if (this.isIn && last !== next) renew(this);
    }
  }

  /** Ends what is shown and begins what is asked for now. Hearing of either (events, the focus), the page may change its mind. */
  function renew(host: BalcaoElement) {
    host.isStale = true;
    if (host.isBusy) return;
    host.isBusy = true;
    try {
      while (host.isStale) {
        const { end } = host;
        host.end = undefined;
        end?.();
        host.isStale = false;
        if (host.isIn) begin(host);
      }
    } finally {
      host.isBusy = false;
    }
  }

  function begin(host: BalcaoElement) {
    if (conduct) host.end = conduct(host);
    else {
      waiting.add(host);
      if (isNeeded(host)) askConduct?.(host);
    }
  }

  const Element = tag === CHECKOUT_TAG ? makeOpenable(BalcaoElement) : BalcaoElement;
  for (const name of PROPERTIES) reflectAttribute(Element.prototype, name);
  customElements.define(tag, Element);
}

/** With the methods of a dialog. */
function makeOpenable(Element: typeof HTMLElement) {
  return class extends Element {
    // Frameworks set a property where there is one of an attribute's name: here it must not take the method's place.
    get open(): unknown {
      return () => {
        this.open = true;
      };
    }

    set open(isOpen) {
      if (!isOpen) this.removeAttribute('open');
      else if (!isOpened(this)) this.setAttribute('open', '');
    }

    close() {
      this.removeAttribute('open');
    }
  };
}

/** An attribute's value: templates and editors leave spaces and line ends around it. */
export const read = (host: HTMLElement, name: string): string | undefined => host.getAttribute(name)?.trim();

/** Without a token there is nothing to show yet, nor in a dialog that was not opened. */
export function isNeeded(host: HTMLElement): boolean {
  return (host.localName === PAYMENT_TAG || isOpened(host)) && !!read(host, 'token');
}

/** Some frameworks write `false` into an attribute they do not know. */
function isOpened(host: HTMLElement): boolean {
  return (read(host, 'open') ?? 'false') !== 'false';
}

/** What was set before the element was defined lies before the accessor of that name. */
function adoptProperties(element: HTMLElement) {
  const host = element as HTMLElement & Record<string, unknown>;
  for (const name of Object.keys(host).filter((each) => ATTRIBUTES[CHECKOUT_TAG].includes(each))) {
    const { [name]: value } = host;
    delete host[name];
    host[name] = value;
  }
}

function reflectAttribute(prototype: HTMLElement, name: string) {
  Object.defineProperty(prototype, name, {
    get(this: HTMLElement) {
      return this.getAttribute(name);
    },
    set(this: HTMLElement, value: unknown) {
      if (value == null) this.removeAttribute(name);
      else this.setAttribute(name, `${value}`);
    },
  });
}
