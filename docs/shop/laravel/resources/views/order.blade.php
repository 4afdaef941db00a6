<!doctype html>
<html lang="pt">
<meta charset="utf-8">
<title>Café da Gabela</title>
<script src="{{ config('balcao.url') }}/widget.js" defer></script>
<h1>Café da Gabela, 1 500 Kz</h1>
@if ($payment && $payment->status === 'Paid')
<p role="status">Obrigado! O seu café vai a caminho.</p>
@elseif ($payment)
<balcao-payment token="{{ $payment->clientToken }}" lang="pt"></balcao-payment>
<p><a href="{{ $payment->checkoutUrl }}">Pagar na página do Balcão</a></p>
@else
<form method="post" action="/orders">
@csrf
<input type="hidden" name="order" value="{{ $order }}">
<button name="method" value="express">Multicaixa Express</button>
<button name="method" value="code">Código QR</button>
<button name="method" value="reference">Por referência</button>
</form>
@endif
