// `wc.wcBlocksRegistry`: collects the payment methods of plug-ins.
// The address of the documentation is in blocks.php.
window.wc = window.wc || {};
window.wc.wcBlocksRegistry = {
  methods: {},
  registerPaymentMethod(options) {
    for (const name of ['name', 'content', 'edit', 'canMakePayment', 'ariaLabel', 'label', 'supports'])
      if (!options[name]) throw new TypeError(`registerPaymentMethod: ${name} is missing`);
    this.methods[options.name] = options;
  },
};
