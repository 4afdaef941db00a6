// The payment methods of Balcão in the checkout of blocks. The server sends titles, texts and the label of the field.
(function (registry, settings, element, decode) {
  const make = element.createElement;
  const isMobile = (text) => /^9\d{8}$/.test(text.replace(/\D/g, '').replace(/^(00)?244/, ''));

  function Content({ data, eventRegistration, emitResponse }) {
    const [phone, setPhone] = element.useState('');
    const { onPaymentSetup } = eventRegistration;
    element.useEffect(
      () =>
        onPaymentSetup(() => {
          const { SUCCESS, ERROR } = emitResponse.responseTypes;
          if (data.phone && phone.trim() && !isMobile(phone)) return { type: ERROR, message: data.wrong };
          return { type: SUCCESS, meta: { paymentMethodData: data.phone ? { balcao_phone: phone.trim() } : {} } };
        }),
      [onPaymentSetup, emitResponse, phone],
    );
    return make(
      'div',
      {},
      data.description && make('p', {}, decode(data.description)),
      data.test && make('p', {}, make('strong', {}, data.test)),
      data.phone &&
        make(
          'p',
          {},
          make('label', { htmlFor: 'balcao_phone', style: { display: 'block' } }, data.phone),
          make('input', {
            id: 'balcao_phone',
            type: 'tel',
            inputMode: 'tel',
            autoComplete: 'tel-national',
            value: phone,
            style: { boxSizing: 'border-box', width: '100%', minHeight: '44px', padding: '8px', fontSize: '16px' },
            onChange: (event) => setPhone(event.target.value),
          }),
        ),
    );
  }

  for (const name of ['balcao_express', 'balcao_qrcode', 'balcao_reference']) {
    const data = settings.getSetting(name + '_data', null);
    if (!data) continue;
    const title = decode(data.title);
    registry.registerPaymentMethod({
      name,
      label: make('span', {}, title),
      ariaLabel: title,
      content: make(Content, { data }),
      edit: make('p', {}, decode(data.description)),
      canMakePayment: () => true,
      supports: { features: data.supports },
    });
  }
})(window.wc.wcBlocksRegistry, window.wc.wcSettings, window.wp.element, window.wp.htmlEntities.decodeEntities);
