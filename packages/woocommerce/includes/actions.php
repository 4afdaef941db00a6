<?php
/**
 * Actions of the order's buttons. Each returns a sentence, and throws an error with a sentence.
 *
 * @package Balcao
 */

defined( 'ABSPATH' ) || exit;

/** Sends the push once more, also after the end of the first payment. */
function balcao_push_again( WC_Order $order, string $phone = '' ): string {
	$phone = balcao_phone( '' === $phone ? $order->get_billing_phone() : $phone );
	if ( '' === $phone ) {
		throw new RuntimeException( __( 'Type a mobile number of Angola: nine digits that begin with 9.', 'balcao' ) );
	}
	$payment = balcao_pay( $order->get_id(), 'express' );
	if ( ! $payment || 'Paid' === $payment->status ) {
		throw new RuntimeException( __( 'This order is paid.', 'balcao' ) );
	}
	balcao_push( $payment->checkoutUrl, $phone );
	/* translators: %s: mobile number */
	$text = sprintf( __( 'The request was sent to %s.', 'balcao' ), $phone );
	$order->add_order_note( $text );
	return $text;
}

/** Turns an unpaid payment into a payment reference, and sends it to the buyer's phone. */
function balcao_turn_into_reference( WC_Order $order, bool $send = true ): string {
	balcao_begin_feed();
	$digits = balcao_with_order( $order->get_id(), 15, static function ( WC_Order $order ): string {
		$payment = balcao_sync_locked( $order );
		if ( ! $payment || 'Paid' === $payment->status || $order->is_paid() ) {
			throw new RuntimeException( __( 'This order has no unpaid payment.', 'balcao' ) );
		}
		if ( 'PPR' !== $payment->paymentType ) {
			$key     = [ 'idempotency_key' => balcao_site() . '-reference-' . $payment->internalId ];
			$payment = balcao_client()->payments->replace( $payment->internalId, [ 'paymentMethod' => 'reference' ], $key );
			if ( $order->has_status( 'cancelled' ) ) {
				$order->update_status( 'pending' );
			}
			balcao_sync_locked( $order, $payment->internalId );
		}
		return $payment->reference;
	} );
	/* translators: %s: digits of the reference */
	$text = sprintf( __( 'The buyer can now pay the reference %s.', 'balcao' ), $digits );
	if ( $send ) {
		try {
			balcao_client()->references->sendSms( [ 'references' => [ $digits ] ] );
			$text .= ' ' . __( 'It was sent by SMS.', 'balcao' );
		} catch ( Balcao\Error $error ) {
			$text .= ' ' . __( 'The SMS was not sent:', 'balcao' ) . ' ' . balcao_reason( $error );
		}
	}
	$order->add_order_note( $text );
	return $text;
}

/** Pays an order in the sandbox: now, or after its payment has ended. */
function balcao_test_pay( WC_Order $order, bool $late = false ): string {
	if ( 'yes' !== balcao_settings()['test_mode'] ) {
		throw new RuntimeException( __( 'Only the test environment can pay by itself.', 'balcao' ) );
	}
	$payment = balcao_sync_order( $order );
	if ( ! $payment || 'Paid' === $payment->status ) {
		throw new RuntimeException( __( 'This order has no unpaid payment.', 'balcao' ) );
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
		balcao_call_sandbox( '/sandbox/atm', $body );
	} elseif ( 'qrcode' === $payment->paymentMethod ) {
		$fresh = wc_get_order( $order->get_id() );
		balcao_call_sandbox( '/sandbox/scan', [ 'content' => $fresh->get_meta( '_balcao_code' ), 'phone' => '900000000' ] );
	} else {
		balcao_push( $payment->checkoutUrl, '900000000' );
	}
	return __( 'The test payment is on its way. The order follows in a few seconds.', 'balcao' );
}

/** Calls a page of the sandbox. Its password is the secret of the demo client. */
function balcao_call_sandbox( string $path, array $body ): void {
	$settings = balcao_settings();
	$headers  = [
		'content-type'  => 'application/json',
		'accept'        => 'application/json',
		'authorization' => 'Basic ' . base64_encode( 'balcao:' . $settings['client_secret'] ),
	];
	$answer   = balcao_send( 'POST', rtrim( $settings['url'], '/' ) . $path, $headers, (string) wp_json_encode( $body ), 15 );
	if ( $answer['status'] >= 300 ) {
		$problem = (array) json_decode( $answer['body'], true );
		throw new RuntimeException( (string) ( $problem['detail'] ?? "$path: {$answer['status']}" ) );
	}
}
