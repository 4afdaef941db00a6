// The editor's side of the block. The server renders it, so the editor shows what visitors see.
(function (blocks, element, components, editor, texts) {
  const make = element.createElement;
  blocks.registerBlockType('balcao/link', {
    apiVersion: 2,
    title: texts.title,
    description: texts.about,
    icon: 'money-alt',
    category: 'widgets',
    attributes: {
      id: { type: 'string', default: '' },
      text: { type: 'string', default: '' },
      qr: { type: 'boolean', default: false },
    },
    edit({ attributes, setAttributes }) {
      const field = (name, label, help) =>
        make(components.TextControl, {
          label,
          help,
          value: attributes[name],
          onChange: (value) => setAttributes({ [name]: value }),
        });
      const fields = [
        field('id', texts.id, texts.hint),
        field('text', texts.text),
        make(components.ToggleControl, {
          label: texts.qr,
          checked: attributes.qr,
          onChange: (qr) => setAttributes({ qr }),
        }),
      ];
      const panel = make(editor.InspectorControls, {}, make(components.PanelBody, { title: texts.title }, ...fields));
      const shown = attributes.id
        ? make(components.Disabled, {}, make(window.wp.serverSideRender, { block: 'balcao/link', attributes }))
        : make(components.Placeholder, { label: texts.title, icon: 'money-alt', instructions: texts.missing });
      return make('div', editor.useBlockProps(), panel, shown);
    },
    save: () => null,
  });
})(window.wp.blocks, window.wp.element, window.wp.components, window.wp.blockEditor, window.balcaoLinkTexts);
