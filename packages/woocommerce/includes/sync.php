<?php
// Orders follow the gateway. Webhook, feed, return page, schedules and buttons call one function.

defined( 'ABSPATH' ) || exit;

/**
 * Reads the order's payment from the gateway and lets the order follow. It trusts no report.
 *
 * @param int|WC_Order $order
 * @param string|null  $reported a payment that a report names; the order's own payment is always read too
 * @throws Balcao\Error if the gateway does not answer
 * @throws Balcao_Busy if another process works on this order
 */
function balcao_sync_order( $order, ?string $reported = null, int $wait = 5 ): ?Balcao\Result {
	$id = $order instanceof WC_Order ? $order->get_id() : (int) $order;
	return balcao_with_order( $id, $wait, static fn( WC_Order $order ) => balcao_sync_locked( $order, $reported ) );
}

/** True while an order changes because of the gateway, and not because of a person. */
function balcao_is_following( ?bool $set = null ): bool {
	static $is_following = false;
	return $is_following = $set ?? $is_following;
}

/** The same under the lock. It returns the payment that counts now, or null without one. */
function balcao_sync_locked( WC_Order $order, ?string $reported = null ): ?Balcao\Result {
	$was = balcao_is_following();
	balcao_is_following( true );
	try {
		$current = (string) $order->get_meta( '_balcao_payment_id' );
		$payment = null;
		foreach ( array_unique( array_filter( [ (string) $reported, $current ] ) ) as $id ) {
			$payment = balcao_read_payment( $order, $id );
			$payment && balcao_follow( $order, $payment, $id === $current || '' === $current );
		}
		return $payment;
	} finally {
		balcao_is_following( $was );
	}
}

/** Reads a payment, or the one that replaced it. Null if it is of another gateway or of another order. */
function balcao_read_payment( WC_Order $order, string $id ): ?Balcao\Result {
	$client = balcao_client( 8 );
	try {
		$payment = $client->payments->get( $id );
		while ( 'Paid' !== $payment->status && $payment->replacedBy ) {
			$payment = $client->payments->get( $payment->replacedBy );
		}
	} catch ( Balcao\Error $error ) {
		if ( 404 !== $error->status ) {
			throw $error;
		}
		if ( $id === $order->get_meta( '_balcao_payment_id' ) ) {
			// The shop has another gateway now. WooCommerce may cancel the unpaid order.
			$order->update_meta_data( '_balcao_status', 'Unknown' );
			$order->save_meta_data();
		}
		return null;
	}
	return ( $payment->customMetadata->mark ?? '' ) === balcao_mark( $order ) ? $payment : null;
}

/** Lets the order follow one payment. Each step may run again after a crash. */
function balcao_follow( WC_Order $order, Balcao\Result $payment, bool $is_current ): void {
	$paid = balcao_list( $order, '_balcao_paid' );
	if ( 'Paid' === $payment->status ) {
		in_array( $payment->internalId, $paid, true ) || balcao_follow_paid( $order, $payment, $paid );
		'' === (string) $order->get_meta( '_balcao_fee' ) && balcao_store_fee( $order, $payment );
	} elseif ( $is_current && ! $paid ) {
		balcao_follow_unpaid( $order, $payment );
	} elseif ( $paid && 'Pending' === $payment->status ) {
		// Another payment paid the order, so this one must not take money too.
		balcao_cancel_open( $order, $payment );
	}
	if ( $is_current || in_array( $payment->internalId, $paid, true ) ) {
		balcao_note_money( $order, $payment );
	}
	if ( '0.00' !== $payment->amountRefunded || $order->get_refunds() ) {
		balcao_follow_refunds( $order, $payment );
	}
}

/** A list in a field of the order. */
function balcao_list( WC_Order $order, string $name ): array {
	return array_filter( (array) $order->get_meta( $name ) );
}

/** Completes the order once, and reports money that the order does not need. */
function balcao_follow_paid( WC_Order $order, Balcao\Result $payment, array $paid ): void {
	$id    = $payment->internalId;
	$money = balcao_money( $payment->amountPaid, $payment->currency );
	$other = (string) $order->get_transaction_id();
	$is_elsewhere = '' !== $other || '' === balcao_method_of( $order );
	if ( $paid || ( $order->get_date_paid() && $other !== $id && $is_elsewhere ) ) {
		/* translators: 1: amount, 2: id of the payment */
		$text = __( 'Balcão received %1$s once more for this order (payment %2$s). Refund it in the console of the gateway.', 'balcao' );
		balcao_note( $order, "twice $id", sprintf( $text, $money, $id ) );
	} else {
		balcao_complete( $order, $payment, $money );
	}
	$order->update_meta_data( '_balcao_paid', array_merge( $paid, [ $id ] ) );
	$order->save();
}

/** Completes an order. The payment's id is its transaction, and the mark that it is done is stored afterwards. */
function balcao_complete( WC_Order $order, Balcao\Result $payment, string $money ): void {
	$id      = $payment->internalId;
	$was     = $order->get_status();
	$is_done = $order->get_transaction_id() === $id;
	balcao_store_payment( $order, $payment, balcao_kind( $order, $payment ) );
	if ( $is_done ) {
		// An earlier run ended after the status changed. WooCommerce reduces the stock of an order only once.
		wc_maybe_reduce_stock_levels( $order->get_id() );
	} elseif ( balcao_minor( $payment->amountPaid ) < balcao_minor( $order->get_total() ) ) {
		/* translators: %s: amount */
		$text = __( 'Balcão received %s, which is less than the total of the order. Complete the order or refund the money.', 'balcao' );
		$order->set_transaction_id( $id );
		$order->update_status( 'on-hold', sprintf( $text, $money ) );
		return;
	} elseif ( ! $order->payment_complete( $id ) ) {
		throw new RuntimeException( 'WooCommerce did not complete the payment' );
	}
	'trash' === $was && balcao_log( "payment $id paid order {$order->get_id()}, which is in the trash" );
	// A person may have set a status in which WooCommerce stores no transaction.
	$order->set_transaction_id( $id );
	/* translators: 1: amount, 2: id of the payment */
	balcao_note( $order, "paid $id", sprintf( __( 'Balcão received %1$s (payment %2$s).', 'balcao' ), $money, $id ) );
	if ( 'cancelled' === $was || $payment->late ) {
		$text = __( 'The money arrived after the end of the payment. The order is active again: check the stock, or refund the money.', 'balcao' );
		balcao_note( $order, "late $id", $text );
	}
}

/** Follows a payment without enough money. */
function balcao_follow_unpaid( WC_Order $order, Balcao\Result $payment ): void {
	$is_open = balcao_is_open( $payment->status );
	$has     = '0.00' !== $payment->amountPaid;
	$is_left = '' === balcao_method_of( $order );
	if ( $is_open && ! $has && ( $is_left || $order->has_status( [ 'cancelled', 'trash' ] ) ) ) {
		balcao_cancel_open( $order, $payment );
		return;
	}
	if ( $is_left ) {
		// The buyer chose another way to pay, so the end of this payment is not the end of the order.
		$order->update_meta_data( '_balcao_status', $payment->status );
		$order->save_meta_data();
		return;
	}
	$kind = balcao_kind( $order, $payment );
	balcao_store_payment( $order, $payment, $kind );
	// An earlier run may have ended before the stock moved. WooCommerce moves the stock of an order only once.
	if ( $order->has_status( 'on-hold' ) ) {
		wc_maybe_reduce_stock_levels( $order->get_id() );
	} elseif ( $order->has_status( 'cancelled' ) ) {
		wc_maybe_increase_stock_levels( $order->get_id() );
	}
	if ( $is_open ) {
		if ( $order->has_status( [ 'pending', 'failed' ] ) && ( 'reference' === $kind || $has ) ) {
			$order->update_status( 'on-hold', __( 'Waiting for the payment of the reference.', 'balcao' ) );
		}
	} elseif ( 'Failed' === $payment->status && $order->has_status( [ 'pending', 'on-hold' ] ) ) {
		/* translators: %s: reason */
		$text = sprintf( __( 'The payment failed: %s', 'balcao' ), $payment->failure->message ?? $payment->standing );
		$order->update_status( 'failed', $text );
	} elseif ( 'Failed' !== $payment->status && $order->has_status( [ 'pending', 'on-hold', 'failed' ] ) ) {
		$text = 'Expired' === $payment->status
			? __( 'The payment expired. The order is canceled and its stock is free.', 'balcao' )
			: __( 'The payment was canceled. The order is canceled and its stock is free.', 'balcao' );
		$order->update_status( 'cancelled', $text );
	}
}

/** Cancels an open payment of an order that is canceled, or paid by another payment. */
function balcao_cancel_open( WC_Order $order, Balcao\Result $payment ): void {
	try {
		balcao_cancel_payment( $payment );
		if ( $payment->internalId === $order->get_meta( '_balcao_payment_id' ) ) {
			$order->update_meta_data( '_balcao_status', 'Canceled' );
			$order->save();
		}
	} catch ( RuntimeException $error ) {
		// A push cannot be taken back. If the buyer accepts it, the money is noted, otherwise the payment ends.
		$text = __( 'A payment of this order is not needed any more, but can still be paid.', 'balcao' );
		balcao_note( $order, "open $payment->internalId", $text . ' ' . balcao_reason( $error ) );
		balcao_sync_later( $order->get_id(), $payment->internalId, 2 );
	}
}

/** The method of a payment. A refused push may have become a reference. */
function balcao_kind( WC_Order $order, Balcao\Result $payment ): string {
	$stored = (string) $order->get_meta( '_balcao_method' );
	$gpo    = in_array( $stored, [ '', 'reference' ], true ) ? 'express' : $stored;
	return 'PPR' === $payment->paymentType ? 'reference' : $gpo;
}

/** Notes money of an unexpected amount, once for each sum. */
function balcao_note_money( WC_Order $order, Balcao\Result $payment ): void {
	$texts = [
		/* translators: 1: amount received, 2: amount requested */
		'over'  => __( 'The buyer paid too much: %1$s instead of %2$s. Refund the difference in the console of the gateway.', 'balcao' ),
		/* translators: 1: amount received, 2: amount requested */
		'short' => __( 'The buyer paid too little: %1$s instead of %2$s. The order waits for the rest.', 'balcao' ),
		/* translators: 1: amount received, 2: amount requested */
		'ended' => __( 'The payment ended with %1$s instead of %2$s. Refund this money in the console of the gateway.', 'balcao' ),
	];
	$has   = 'Paid' !== $payment->status && '0.00' !== $payment->amountPaid;
	$kind  = $has ? ( balcao_is_open( $payment->status ) ? 'short' : 'ended' ) : '';
	// A person may have changed the order's total since the payment was made.
	$is_over = 'Paid' === $payment->status && balcao_minor( $payment->amountPaid ) > balcao_minor( $order->get_total() );
	$kind    = $is_over ? 'over' : $kind;
	if ( '' !== $kind ) {
		$paid = balcao_money( $payment->amountPaid, $payment->currency );
		$due  = $is_over ? wc_format_decimal( $order->get_total(), 2 ) : $payment->amount;
		$text = sprintf( $texts[ $kind ], $paid, balcao_money( $due, $payment->currency ) );
		balcao_note( $order, "$kind $payment->amountPaid", $text );
	}
}

/** Adds a note to the order, once for each key. */
function balcao_note( WC_Order $order, string $key, string $text ): void {
	$noted = balcao_list( $order, '_balcao_noted' );
	if ( ! in_array( $key, $noted, true ) ) {
		$order->add_order_note( $text );
		$order->update_meta_data( '_balcao_noted', array_merge( $noted, [ $key ] ) );
		$order->save_meta_data();
	}
}

/** Stores the rail's fee and the net amount, where the rail reports them. */
function balcao_store_fee( WC_Order $order, Balcao\Result $payment ): void {
	try {
		$query = [ 'reference' => $payment->reference, 'limit' => 100 ];
		foreach ( balcao_client( 5 )->transactions->list( $query )->page()->data as $movement ) {
			if ( $movement->paymentId === $payment->internalId && $movement->gross > 0 && null !== $movement->fee ) {
				$order->update_meta_data( '_balcao_fee', $movement->fee );
				$order->update_meta_data( '_balcao_net', $movement->net );
				$order->save_meta_data();
				return;
			}
		}
	} catch ( Throwable $error ) {
		balcao_log( "fee of order {$order->get_id()}: " . $error->getMessage() );
	}
}
