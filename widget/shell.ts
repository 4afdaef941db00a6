// Defines the custom elements: names, attributes and life cycle. Their content is a "conduct" of the widget.
// The loader defines elements without a conduct, and the widget supplies it later.

/** A conduct shows an element's content, and returns a function that removes it. Undefined without content. */
export type Conduct = (host: HTMLElement) => (() => void) | undefined;

export const PAYMENT_TAG = 'balcao-payment';
export const CHECKOUT_TAG = 'balcao-checkout';

const ATTRIBUTES = {
  [PAYMENT_TAG]: ['token', 'lang', 'gateway'],
  [CHECKOUT_TAG]: ['open', 'token', 'lang', 'theme', 'gateway'],
};

export type Tag = keyof typeof ATTRIBUTES;
export type Conducts = Record<Tag, Conduct>;

/** Attributes that frameworks can also set as properties. `lang` is missing, because every HTML element has it. */
const PROPERTIES = ['token', 'theme', 'gateway'];

type Shell = CustomElementConstructor & { bringConduct?(conduct: Conduct): void };

/** Defines the elements once. A second copy of the script has no effect. An import on a server has no effect either. */
export function defineElements(conducts: Conducts) {
  if (typeof customElements === 'undefined') return;
  for (const tag of Object.keys(conducts) as Tag[]) {
    const known = customElements.get(tag) as Shell | undefined;
    if (known) known.bringConduct?.(conducts[tag]);
    else defineShell(tag, conducts[tag]);
  }
}

/** Defines an element. Without a conduct, it calls `requestConduct` for each element that needs one. */
export function defineShell(tag: Tag, conduct?: Conduct, requestConduct?: (host: HTMLElement) => void) {
  const waiting = new Set<BalcaoElement>();

  class BalcaoElement extends HTMLElement {
    // The fields have no initial values: compiled class fields for old browsers would make the script larger.
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

  /** Removes the content and shows it again. Repeats if the page's event handlers change the element in between. */
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
      if (isNeeded(host)) requestConduct?.(host);
    }
  }

  const Element = tag === CHECKOUT_TAG ? makeOpenable(BalcaoElement) : BalcaoElement;
  for (const name of PROPERTIES) reflectAttribute(Element.prototype, name);
  customElements.define(tag, Element);
}

/** Adds the methods `open` and `close` to an element class. */
function makeOpenable(Element: typeof HTMLElement) {
  return class extends Element {
    // Frameworks set a property if one has the attribute's name. This setter keeps the method `open`.
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

/** Reads an attribute's value and trims it, because templates and editors add spaces and line breaks. */
export const readAttribute = (host: HTMLElement, name: string): string | undefined => host.getAttribute(name)?.trim();

/** True if the element has a token and, for a dialog, is open. Otherwise the element shows nothing. */
export function isNeeded(host: HTMLElement): boolean {
  return (host.localName === PAYMENT_TAG || isOpened(host)) && !!readAttribute(host, 'token');
}

/** True if the dialog is open. Some frameworks write `false` into unknown attributes. */
function isOpened(host: HTMLElement): boolean {
  return (readAttribute(host, 'open') ?? 'false') !== 'false';
}

/** Properties that were set before the element's definition hide its accessors. This function sets them again. */
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
