// The checkout of blocks, with the documented properties of a method's content: eventRegistration and emitResponse.
(function ({ createElement, cloneElement, createRoot, render, useState, useRef, useMemo }) {
  const root = document.getElementById('checkout');
  const { getSetting } = window.wc.wcSettings;
  const responseTypes = { SUCCESS: 'success', FAIL: 'failure', ERROR: 'error' };
  const total = { value: getSetting('stand_in_total', 0) * 100 };

  function Checkout() {
    const methods = Object.values(window.wc.wcBlocksRegistry.methods).filter((method) =>
      method.canMakePayment({ cartTotals: { total_price: String(total.value), currency_code: 'AOA' } }),
    );
    const [active, choose] = useState(methods[0]?.name);
    const [error, show] = useState('');
    const observers = useRef(new Set());
    const eventRegistration = useMemo(
      () => ({
        onPaymentSetup(observer) {
          observers.current.add(observer);
          return () => observers.current.delete(observer);
        },
      }),
      [],
    );
    const emitResponse = useMemo(() => ({ responseTypes, noticeContexts: {} }), []);

    async function placeOrder(event) {
      event.preventDefault();
      const data = {};
      for (const observer of observers.current) {
        const answer = (await observer()) ?? { type: responseTypes.SUCCESS };
        if (answer.type !== responseTypes.SUCCESS) return show(answer.message);
        Object.assign(data, answer.meta?.paymentMethodData);
      }
      const response = await fetch(root.dataset.address, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          payment_method: active,
          payment_data: Object.entries(data).map(([key, value]) => ({ key, value })),
          billing_address: { first_name: 'Ana', email: 'ana@example.com', phone: '' },
        }),
      });
      const answer = await response.json();
      if (!response.ok) return show(answer.message);
      location.assign(answer.payment_result.redirect_url);
    }

    return createElement(
      'form',
      { onSubmit: placeOrder },
      error && createElement('div', { role: 'alert' }, error),
      methods.map((method) =>
        createElement(
          'div',
          { key: method.name },
          createElement(
            'label',
            { 'aria-label': method.ariaLabel },
            createElement('input', {
              type: 'radio',
              name: 'radio-control-wc-payment-method-options',
              value: method.name,
              checked: active === method.name,
              onChange: () => choose(method.name),
            }),
            method.label,
          ),
          active === method.name &&
            cloneElement(method.content, { eventRegistration, emitResponse, activePaymentMethod: active }),
        ),
      ),
      createElement('button', { type: 'submit' }, 'Place Order'),
    );
  }

  const checkout = createElement(Checkout);
  if (createRoot) createRoot(root).render(checkout);
  else render(checkout, root);
})(window.wp.element);
