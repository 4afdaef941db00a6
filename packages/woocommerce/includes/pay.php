<?php
// Creates the payment of an order at the gateway, and cancels it there.

defined( 'ABSPATH' ) || exit;

foreach ( [ 'woocommerce_order_status_cancelled', 'woocommerce_trash_order', 'trashed_post' ] as $balcao_hook ) {
	add_action( $balcao_hook, 'balcao_cancel_with_order' );
}
add_action( 'woocommerce_before_delete_order', 'balcao_cancel_before_deletion' );
add_action( 'before_delete_post', 'balcao_cancel_before_deletion' );
add_action( 'woocommerce_untrash_order', 'balcao_follow_restored' );
add_action( 'untrashed_post', 'balcao_follow_restored' );
add_filter( 'woocommerce_cancel_unpaid_order', 'balcao_may_cancel_unpaid', 10, 2 );
add_action( 'template_redirect', 'balcao_follow_on_return' );

/** The method of an order, or '' if another plug-in takes its money. */
function balcao_method_of( WC_Order $order ): string {
	$method = (string) $order->get_payment_method();
	return 0 === strpos( $method, 'balcao_' ) ? substr( $method, 7 ) : '';
}

/** Proves that a payment belongs to an order. It reveals nothing about the order's key. */
function balcao_mark( WC_Order $order ): string {
	return substr( hash( 'sha256', $order->get_order_key() ), 0, 16 );
}

/** The order's number as a reference of the gateway: 1 to 15 characters. A later attempt gets another one. */
function balcao_reference( WC_Order $order, int $attempt ): string {
	$suffix = $attempt > 1 ? "-$attempt" : '';
	$number = preg_replace( '/[^A-Za-z0-9._\/-]+/', '-', (string) $order->get_order_number() );
	$number = trim( substr( $number, strlen( $suffix ) - 15 ), '-' );
	return ( '' === $number ? $order->get_id() : $number ) . $suffix;
}

/** True while the gateway may still change the order's payment. It reads only the order. */
function balcao_has_open_payment( WC_Order $order ): bool {
	return '' !== (string) $order->get_meta( '_balcao_payment_id' )
		&& balcao_is_open( (string) $order->get_meta( '_balcao_status' ) );
}

/** True if a person changed the order's total, so its payment still takes another amount. */
function balcao_has_other_total( WC_Order $order ): bool {
	$amount = (string) $order->get_meta( '_balcao_amount' );
	return '' !== $amount && balcao_minor( $amount ) !== balcao_minor( $order->get_total() );
}

/** True while the order may have to follow its payment: it is open, or paid and another process completes the order. */
function balcao_may_follow( WC_Order $order ): bool {
	$id = (string) $order->get_meta( '_balcao_payment_id' );
	$is_behind = 'Paid' === $order->get_meta( '_balcao_status' ) && ! in_array( $id, balcao_list( $order, '_balcao_paid' ), true );
	return $is_behind || balcao_has_open_payment( $order );
}

function balcao_is_open( string $status ): bool {
	return in_array( $status, [ 'Pending', 'Processing' ], true );
}

/**
 * Returns the payment that the buyer pays now, or null if the order is paid in another way. A second click returns the
 * first payment. A change of method or total cancels the earlier payment first.
 *
 * @throws Balcao\Error|RuntimeException
 */
function balcao_pay( int $order_id, string $method, int $days = 3 ): ?Balcao\Result {
	balcao_begin_feed();
	return balcao_with_order( $order_id, 15, static function ( WC_Order $order ) use ( $method, $days ) {
		balcao_check_currency( $order );
		$old = balcao_sync_locked( $order );
		// A person may have set a paid order back. A second payment would be money that the order does not need.
		if ( $order->is_paid() || balcao_list( $order, '_balcao_paid' ) ) {
			return $old;
		}
		if ( $old && balcao_is_open( $old->status ) ) {
			$is_same = balcao_minor( $old->amount ) === balcao_minor( $order->get_total() );
			if ( $is_same && $method === $order->get_meta( '_balcao_method' ) ) {
				return $old;
			}
			balcao_cancel_payment( $old );
		}
		$attempt = (int) $order->get_meta( '_balcao_attempt' ) + ( $old ? 1 : 0 );
		return balcao_create( $order, $method, max( 1, $attempt ), $days );
	} );
}

/** @throws RuntimeException if the gateway does not take the order's currency */
function balcao_check_currency( WC_Order $order ): void {
	if ( ! in_array( $order->get_currency(), balcao_currencies(), true ) ) {
		throw new RuntimeException( __( 'This order has a currency that the gateway does not take.', 'balcao' ) );
	}
}

function balcao_create( WC_Order $order, string $method, int $attempt, int $days ): Balcao\Result {
	// The attempt is stored before the creation, so that the same key returns the same payment after a crash.
	$order->update_meta_data( '_balcao_attempt', (string) $attempt );
	$order->update_meta_data( '_balcao_payment_id', '' );
	$order->save_meta_data();
	$body = balcao_payment_body( $order, $method, $attempt, $days );
	$key  = implode( '-', [ balcao_site(), $order->get_id(), balcao_mark( $order ), $attempt ] );
	try {
		$payment = balcao_send_payment( $body, $key );
	} catch ( Balcao\Error $error ) {
		if ( 'idempotency_key_reused' === $error->code && $attempt < 99 ) {
			return balcao_create( $order, $method, $attempt + 1, $days );
		}
		throw $error;
	}
	$order->update_meta_data( '_balcao_code', (string) ( $payment->qrCode->content ?? '' ) );
	balcao_store_payment( $order, $payment, $method );
	$order->has_status( [ 'failed', 'cancelled' ] ) && $order->update_status( 'pending' );
	balcao_follow( $order, $payment, true );
	return $payment;
}

/** A new address of the shop or a wrong clock stops no sale, because the payment is created without these fields. */
function balcao_send_payment( array $body, string $key ): Balcao\Result {
	try {
		return balcao_client()->payments->create( $body, [ 'idempotency_key' => $key ] );
	} catch ( Balcao\Error $error ) {
		$wrong    = array_map( 'basename', array_column( $error->pointers, 'pointer' ) );
		$optional = [ 'returnUrl', 'cancelUrl', 'endDate', 'expiryDate', 'customerEmail', 'customerTelephone' ];
		if ( ! $wrong || array_diff( $wrong, $optional ) ) {
			throw $error;
		}
		balcao_log( 'a payment is created without these fields: ' . $error->getMessage() );
		$drop             = array_merge( $wrong, array_intersect( $wrong, [ 'returnUrl' ] ) ? [ 'cancelUrl' ] : [] );
		$body['metadata'] = array_diff_key( $body['metadata'], array_flip( $drop ) );
		return balcao_client()->payments->create( $body, [ 'idempotency_key' => $key ] );
	}
}

/** Stores the payment with the order, whose method may have been another one. */
function balcao_store_payment( WC_Order $order, Balcao\Result $payment, string $method ): void {
	if ( "balcao_$method" !== $order->get_payment_method() ) {
		$order->set_payment_method( "balcao_$method" );
		$order->set_payment_method_title( balcao_method_text( $method ) );
	}
	$order->update_meta_data( '_balcao_method', $method );
	$fields = [ 'entity', 'reference', 'amount', 'status', 'payment_id' => 'internalId', 'expires' => 'expiresAt' ];
	foreach ( $fields + [ 'token' => 'clientToken', 'checkout_url' => 'checkoutUrl' ] as $name => $field ) {
		$order->update_meta_data( '_balcao_' . ( is_int( $name ) ? $field : $name ), (string) $payment->$field );
	}
	// A person searches for a reference as pages and mails print it.
	$is_digits = 'PPR' === $payment->paymentType;
	$order->update_meta_data( '_balcao_printed', $is_digits ? balcao_print_reference( $payment->reference ) : '' );
	$order->save();
}

function balcao_print_reference( string $digits ): string {
	return trim( chunk_split( $digits, 3, ' ' ) );
}

/** The request of a creation. */
function balcao_payment_body( WC_Order $order, string $method, int $attempt, int $days ): array {
	/* translators: 1: number of the order, 2: name of the shop */
	$text = sprintf( __( 'Order %1$s, %2$s', 'balcao' ), $order->get_order_number(), get_bloginfo( 'name' ) );
	// WooCommerce keeps the goods of an unpaid order for these minutes.
	$hold     = (int) get_option( 'woocommerce_hold_stock_minutes', 60 );
	$minutes  = min( 1440, max( 5, $hold ? $hold : 60 ) );
	$ends     = static fn( int $seconds ): string => gmdate( 'Y-m-d\TH:i:s\Z', time() + $seconds );
	$common   = [
		'custom'    => [ 'site' => balcao_site(), 'order' => $order->get_id(), 'mark' => balcao_mark( $order ) ],
		'returnUrl' => $order->get_checkout_order_received_url(),
		'cancelUrl' => $order->get_checkout_payment_url(),
	];
	$methods  = [
		'express'   => [ 'paymentMethod' => 'webframe', 'methods' => [ 'push' ], 'expiresInMinutes' => $minutes ]
			+ [ 'allowReferenceFallback' => true ],
		'qrcode'    => [ 'paymentMethod' => 'qrcode', 'endDate' => $ends( $minutes * 60 ) ],
		'reference' => [
			'referenceType'     => 'Dynamic',
			'expiryDate'        => $ends( max( 1, $days ) * DAY_IN_SECONDS ),
			'customerName'      => balcao_line( $order->get_formatted_billing_full_name(), 100 ),
			'customerEmail'     => $order->get_billing_email(),
			'customerTelephone' => balcao_phone( (string) $order->get_billing_phone() ),
		],
	];
	$is_gpo   = 'reference' !== $method;
	$body     = [
		'amount'      => wc_format_decimal( $order->get_total(), 2 ),
		'currency'    => $order->get_currency(),
		'paymentType' => $is_gpo ? 'GPO' : 'PPR',
		'description' => balcao_line( wp_specialchars_decode( $text, ENT_QUOTES ), 120 ),
		'metadata'    => array_filter( $common + $methods[ $method ] ),
	];
	$body    += $is_gpo ? [ 'reference' => balcao_reference( $order, $attempt ) ] : [];
	/** Filters the request, for instance to add `metadata.documentNumber` with the buyer's tax number. */
	return apply_filters( 'balcao_payment_body', $body, $order );
}

/** An Angolan mobile number as nine digits, or ''. */
function balcao_phone( string $typed ): string {
	return preg_match( '/^(?:00)?(?:244)?(9\d{8})$/', preg_replace( '/\D/', '', $typed ), $found ) ? $found[1] : '';
}

/** One line of text. */
function balcao_line( string $text, int $length ): string {
	return mb_substr( trim( preg_replace( '/\s+/', ' ', wp_strip_all_tags( $text ) ) ), 0, $length );
}

/** Sends a push to a phone, from the payment's own page. @throws Balcao\Error */
function balcao_push( Balcao\Result $payment, string $phone ): void {
	$url = rtrim( balcao_settings()['url'], '/' ) . "/checkout/$payment->clientToken/pay";
	balcao_post( $url, [ 'phoneNumber' => $phone ] );
}

/** Cancels a payment, or the one that replaced it. @throws RuntimeException if money may be on its way */
function balcao_cancel_payment( Balcao\Result $payment ): void {
	$client = balcao_client();
	try {
		'PPR' === $payment->paymentType
			? $client->references->cancel( $payment->reference )
			: $client->payments->cancel( $payment->internalId );
	} catch ( Balcao\Error $error ) {
		if ( 'payment_replaced' === $error->code ) {
			balcao_cancel_payment( $client->payments->get( $error->problem['replacedBy'] ) );
		} elseif ( 409 === $error->status ) {
			$text = __( 'The request on the phone is still open. Answer it there, or wait two minutes.', 'balcao' );
			throw new RuntimeException( $text, 0, $error );
		} else {
			throw $error;
		}
	}
}

/** Cancels the payment of an order that was canceled or moved to the trash. Money that came meanwhile revives it. */
function balcao_cancel_with_order( $order_id ): void {
	$order = wc_get_order( $order_id );
	if ( $order instanceof WC_Order && balcao_has_open_payment( $order ) && ! balcao_is_following() ) {
		balcao_sync_again( $order->get_id(), (string) $order->get_meta( '_balcao_payment_id' ) );
	}
}

/** Cancels the payment of an order that a person deletes without the trash. No later repeat would find the order. */
function balcao_cancel_before_deletion( $order_id ): void {
	$order = wc_get_order( $order_id );
	if ( ! $order instanceof WC_Order || ! balcao_has_open_payment( $order ) ) {
		return;
	}
	// An order in its own table may have a leftover post, whose deletion does not delete the order.
	if ( doing_action( 'before_delete_post' ) && 'yes' === get_option( 'woocommerce_custom_orders_table_enabled' ) ) {
		return;
	}
	try {
		$payment = balcao_read_payment( $order, (string) $order->get_meta( '_balcao_payment_id' ) );
		$payment && balcao_is_open( $payment->status ) && balcao_cancel_payment( $payment );
	} catch ( RuntimeException $error ) {
		balcao_log( "order {$order->get_id()} is deleted, but its payment is open: " . $error->getMessage() );
	}
}

/** Lets an order from the trash follow its payment, which the trash has canceled. WooCommerce restores it first. */
function balcao_follow_restored( $order_id ): void {
	$order = wc_get_order( $order_id );
	$id    = $order instanceof WC_Order ? (string) $order->get_meta( '_balcao_payment_id' ) : '';
	if ( '' !== $id ) {
		wp_schedule_single_event( time(), 'balcao_sync_later', [ $order->get_id(), $id ] );
	}
}

/** The gateway decides when a payment expires. WooCommerce cancels neither its order earlier, nor a paid order. */
function balcao_may_cancel_unpaid( $is_canceled, $order ): bool {
	return $is_canceled && ! balcao_may_follow( $order ) && ! balcao_list( $order, '_balcao_paid' );
}

/** Lets the order follow before WooCommerce shows the page to which the buyer returns. */
function balcao_follow_on_return(): void {
	$pay = absint( get_query_var( 'order-pay' ) );
	$id  = $pay ? $pay : absint( get_query_var( 'order-received' ) );
	$key = sanitize_text_field( wp_unslash( $_GET['key'] ?? '' ) ); // phpcs:ignore WordPress.Security.NonceVerification
	// The key proves that the visitor may see the order.
	$order  = $id && '' !== $key ? wc_get_order( $id ) : null;
	$is_own = $order instanceof WC_Order && hash_equals( $order->get_order_key(), $key );
	if ( ! $is_own || ! balcao_may_follow( $order ) ) {
		return;
	}
	balcao_sync_again( $id, (string) $order->get_meta( '_balcao_payment_id' ) );
	$order = wc_get_order( $id );
	if ( $pay && $order && ! $order->needs_payment() ) {
		wp_safe_redirect( $order->get_checkout_order_received_url() );
		exit;
	}
	// Another process may follow the payment at this moment. The page of a reference waits for days.
	if ( ! $pay && $order && balcao_may_follow( $order ) && 'reference' !== $order->get_meta( '_balcao_method' ) ) {
		header( 'Refresh: 5' );
	}
}
