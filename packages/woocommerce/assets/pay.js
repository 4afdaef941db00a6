// Leaves the payment's page when the payment is paid or became a reference. The shop's server then reads the result.
document.querySelectorAll('balcao-payment[data-balcao-return]').forEach((element) => {
  const leave = () => location.assign(element.dataset.balcaoReturn);
  const token = element.getAttribute('token');
  element.addEventListener('balcao:paid', leave);
  element.addEventListener('balcao:status', ({ detail }) => detail.token !== token && leave());
});
