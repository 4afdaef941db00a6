<?php
// Actions of the order's buttons. Each returns a sentence, and throws an error with a sentence.

defined( 'ABSPATH' ) || exit;

/** Sends the push once more, also after the end of the first payment. */
function balcao_push_again( WC_Order $order, string $phone = '' ): string {
	$phone = balcao_phone( '' === $phone ? (string) $order->get_billing_phone() : $phone );
	if ( '' === $phone ) {
		throw new RuntimeException( __( 'Type a mobile number of Angola: nine digits that begin with 9.', 'balcao' ) );
	}
	$payment = balcao_pay( $order->get_id(), 'express' );
	if ( ! $payment || 'Paid' === $payment->status ) {
		throw new RuntimeException( __( 'This order has no unpaid payment.', 'balcao' ) );
	}
	balcao_push( $payment, $phone );
	/* translators: %s: mobile number */
	$text = sprintf( __( 'The request was sent to %s.', 'balcao' ), $phone );
	$order->add_order_note( $text );
	return $text;
}

/** Turns an unpaid payment into a payment reference, and sends it to the buyer's phone. */
function balcao_turn_into_reference( WC_Order $order, bool $send = true ): string {
	balcao_begin_feed();
	$digits = balcao_with_order( $order->get_id(), 15, static function ( WC_Order $order ): string {
		// The buyer may have chosen another plug-in meanwhile. Its order would cancel the payment.
		$order->set_payment_method( 'balcao_reference' );
		$payment = balcao_sync_locked( $order );
		$is_free = balcao_minor( $order->get_total() ) <= 0;
		if ( ! $payment || 'Paid' === $payment->status || $order->is_paid() || $is_free ) {
			throw new RuntimeException( __( 'This order has no unpaid payment.', 'balcao' ) );
		}
		balcao_check_currency( $order );
		// A reference that received a part of its money stays, because a new one would demand the whole total.
		if ( balcao_has_other_total( $order ) && '0.00' === $payment->amountPaid ) {
			balcao_is_open( $payment->status ) && balcao_cancel_payment( $payment );
			$days    = (int) ( get_option( 'woocommerce_balcao_reference_settings' )['days'] ?? 3 );
			$payment = balcao_create( $order, 'reference', (int) $order->get_meta( '_balcao_attempt' ) + 1, $days );
		} elseif ( 'PPR' !== $payment->paymentType ) {
			$key     = [ 'idempotency_key' => balcao_site() . "-reference-$payment->internalId" ];
			$payment = balcao_client()->payments->replace( $payment->internalId, [ 'paymentMethod' => 'reference' ], $key );
			$order->has_status( 'cancelled' ) && $order->update_status( 'pending' );
			balcao_sync_locked( $order, $payment->internalId );
		} elseif ( ! balcao_is_open( $payment->status ) ) {
			throw new RuntimeException( __( 'This order has no unpaid payment.', 'balcao' ) );
		}
		return $payment->reference;
	} );
	/* translators: %s: digits of the reference */
	$text = sprintf( __( 'The buyer can now pay the reference %s.', 'balcao' ), $digits );
	try {
		$sms   = $send ? balcao_client()->references->sendSms( [ 'references' => [ $digits ] ] ) : null;
		$none  = __( 'No SMS was sent, because the payment has no mobile number of the buyer, or the buyer refuses SMS.', 'balcao' );
		$text .= $sms ? ' ' . ( 'Ignorado' === $sms->estado ? $none : __( 'It was sent by SMS.', 'balcao' ) ) : '';
	} catch ( Balcao\Error $error ) {
		$text .= ' ' . __( 'The SMS was not sent:', 'balcao' ) . ' ' . balcao_reason( $error );
	}
	$order->add_order_note( $text );
	return $text;
}

/** Pays an order in the sandbox: now, or after its payment has ended. */
function balcao_test_pay( WC_Order $order, bool $late = false ): string {
	$settings = balcao_settings();
	$payment  = 'yes' === $settings['test_mode'] ? balcao_sync_order( $order ) : null;
	if ( ! $payment || 'Paid' === $payment->status ) {
		throw new RuntimeException( __( 'This order has no unpaid payment in the test environment.', 'balcao' ) );
	}
	// The sandbox's password is the secret of its demo client. A push needs no password.
	$url     = rtrim( $settings['url'], '/' ) . '/sandbox/';
	$headers = [ 'authorization' => 'Basic ' . base64_encode( 'balcao:' . $settings['client_secret'] ) ];
	$is_push = ! $late && 'PPR' !== $payment->paymentType && 'qrcode' !== $payment->paymentMethod;
	if ( ! $is_push && 401 === balcao_send( 'GET', $url, $headers, null, 10 )['status'] ) {
		/* translators: %s: address */
		$text = __( 'The shop does not know the password of the test environment. Open %s, sign in and pay there.', 'balcao' );
		throw new RuntimeException( sprintf( $text, $url ) );
	}
	if ( $late && 'PPR' !== $payment->paymentType ) {
		balcao_turn_into_reference( $order, false );
		$payment = balcao_sync_order( $order );
	}
	if ( 'PPR' === $payment->paymentType ) {
		$body = [ 'entity' => $payment->entity, 'reference' => $payment->reference, 'amount' => null, 'channel' => 'ATM' ];
		if ( $late ) {
			balcao_cancel_payment( $payment );
			balcao_sync_order( $order );
			$body['fault'] = 'late';
		}
		balcao_post( "{$url}atm", $body, $headers );
	} elseif ( 'qrcode' === $payment->paymentMethod ) {
		$code = (string) wc_get_order( $order->get_id() )->get_meta( '_balcao_code' );
		balcao_post( "{$url}scan", [ 'content' => $code, 'phone' => '900000000' ], $headers );
	} else {
		balcao_push( $payment, '900000000' );
	}
	return __( 'The test payment is on its way. The order follows in a few seconds.', 'balcao' );
}
