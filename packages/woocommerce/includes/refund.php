<?php
// Refunds from the order, and refunds that people make in the gateway's console.

defined( 'ABSPATH' ) || exit;

add_action( 'woocommerce_create_refund', 'balcao_mark_manual_refund', 10, 2 );
add_action( 'woocommerce_order_refunded', 'balcao_record_manual_refund', 10, 2 );

/** Refunds money through the rail. @return true|WP_Error with a sentence that says what to do */
function balcao_refund( int $order_id, string $amount, string $reason ) {
	try {
		return balcao_with_order( $order_id, 15, static function ( WC_Order $order ) use ( $amount, $reason ) {
			$failure = balcao_refund_locked( $order, $amount, $reason );
			$failure && $order->add_order_note( $failure );
			return $failure ? new WP_Error( 'balcao', $failure ) : true;
		} );
	} catch ( RuntimeException $error ) {
		return new WP_Error( 'balcao', balcao_reason( $error ) );
	}
}

/** @return string why it failed and what to do, or '' */
function balcao_refund_locked( WC_Order $order, string $amount, string $reason ): string {
	$payment_id = (string) $order->get_transaction_id();
	$refund     = balcao_find_refund( $order, static function ( $refund ) use ( $amount ): bool {
		// WooCommerce stores its refund before it calls the gateway.
		$is_same = balcao_minor( $refund->get_amount() ) === balcao_minor( $amount );
		return $is_same && '' === (string) $refund->get_meta( '_balcao_refund_id' );
	} );
	if ( '' === $payment_id || ! $refund ) {
		return __( 'The gateway has no money of this order.', 'balcao' );
	}
	$text  = balcao_money( $amount, $order->get_currency() );
	$money = balcao_lost_refund( $order, $payment_id, $amount );
	if ( ! $money ) {
		$part = balcao_refundable( $payment_id, $amount, true );
		if ( ! $part ) {
			return balcao_refund_advice( $text );
		}
		$body    = [ 'amount' => $amount, 'transactionId' => $part->transactionId, 'reference' => "wc-{$refund->get_id()}" ];
		$body   += array_filter( [ 'reason' => balcao_line( $reason, 200 ) ] );
		$options = [ 'idempotency_key' => balcao_site() . "-refund-{$refund->get_id()}", 'prefer' => 'wait=10' ];
		$money   = balcao_client()->refunds->create( $payment_id, $body, $options );
	}
	if ( in_array( $money->status, [ 'Failed', 'Canceled' ], true ) ) {
		/* translators: %s: code of the reason */
		$failure = sprintf( __( 'The provider refused the refund (%s).', 'balcao' ), (string) $money->failureCode );
		return $failure . ' ' . balcao_refund_advice( $text );
	}
	$refund->update_meta_data( '_balcao_refund_id', $money->id );
	$refund->save_meta_data();
	if ( 'Succeeded' === $money->status ) {
		balcao_note_refund( $order, $money );
	} else {
		/* translators: %s: amount */
		$note = __( 'Balcão is refunding %s. A note follows when the provider has decided.', 'balcao' );
		balcao_note( $order, "refund $money->id", sprintf( $note, $text ) );
	}
	return '';
}

/** Says what to do if the rail cannot refund. */
function balcao_refund_advice( string $money ): string {
	/* translators: %s: amount */
	$text = __( 'The provider cannot refund this amount. Transfer %s to the buyer yourself, then press “Refund manually” with the number of the transfer as the reason. The plug-in records it in the gateway.', 'balcao' );
	return sprintf( $text, $money );
}

function balcao_note_refund( WC_Order $order, Balcao\Result $money, string $reason = '' ): void {
	/* translators: 1: amount, 2: reason */
	$text = trim( sprintf( __( 'Balcão refunded %1$s. %2$s', 'balcao' ), balcao_money( $money->amount, $money->currency ), $reason ) );
	balcao_note( $order, "refunded $money->id", $text );
}

/** The newest refund of the order for which `$is_wanted` is true. */
function balcao_find_refund( WC_Order $order, callable $is_wanted ): ?WC_Order_Refund {
	$found = array_filter( $order->get_refunds(), $is_wanted );
	return $found ? reset( $found ) : null;
}

/** WooCommerce's refund of a refund at the gateway. */
function balcao_refund_of( WC_Order $order, Balcao\Result $money ): ?WC_Order_Refund {
	return balcao_find_refund( $order, static function ( $refund ) use ( $money ): bool {
		$id = (string) $refund->get_meta( '_balcao_refund_id' );
		return $id === $money->id || ( '' === $id && "wc-{$refund->get_id()}" === $money->reference );
	} );
}

/** Finds a refund that an earlier request made although its answer was lost. WooCommerce has deleted its own then. */
function balcao_lost_refund( WC_Order $order, string $payment_id, string $amount ): ?Balcao\Result {
	foreach ( balcao_client()->payments->listRefunds( $payment_id, [ 'pageSize' => 100 ] )->page()->data as $money ) {
		$is_ours = 0 === strpos( (string) $money->reference, 'wc-' ) && $money->amount === $amount;
		$is_over = in_array( $money->status, [ 'Failed', 'Canceled' ], true );
		if ( $is_ours && ! $is_over && ! balcao_refund_of( $order, $money ) ) {
			return $money;
		}
	}
	return null;
}

/** A transaction with enough money for the refund. */
function balcao_refundable( string $payment_id, string $amount, bool $by_rail ): ?Balcao\Result {
	foreach ( balcao_client()->refunds->listable( $payment_id )->data as $part ) {
		$left   = balcao_minor( $part->amount ) - balcao_minor( $amount );
		$is_fit = ! $by_rail || 'part' === $part->byRail || ( 'whole' === $part->byRail && 0 === $left );
		if ( $left >= 0 && $is_fit ) {
			return $part;
		}
	}
	return null;
}

/** Marks a refund that a person made without the rail. A change of the status alone is no proof of a refund. */
function balcao_mark_manual_refund( $refund, array $args ): void {
	$order = wc_get_order( $refund->get_parent_id() );
	if ( $order instanceof WC_Order && '' !== balcao_method_of( $order ) && empty( $args['refund_payment'] ) && $refund->get_amount() > 0
		&& ! balcao_is_following() && ! doing_action( 'woocommerce_order_status_refunded' ) ) {
		$refund->update_meta_data( '_balcao_by_hand', 'yes' );
	}
}

function balcao_record_manual_refund( int $order_id, int $refund_id ): void {
	$refund = wc_get_order( $refund_id );
	if ( $refund && 'yes' === $refund->get_meta( '_balcao_by_hand' ) ) {
		balcao_sync_again( $order_id, (string) wc_get_order( $order_id )->get_transaction_id() );
	}
}

/** Compares the refunds of WooCommerce with those of the gateway, and adds those that one of them lacks. */
function balcao_follow_refunds( WC_Order $order, Balcao\Result $payment ): void {
	$moneys = balcao_client( 8 )->payments->listRefunds( $payment->internalId, [ 'pageSize' => 100 ] )->page()->data;
	$is_own = $payment->internalId === $order->get_transaction_id();
	// A refund in the console returns the excess first. It is no part of the order, as is money of another payment.
	$total  = $is_own ? balcao_minor( $order->get_total() ) : 0;
	$excess = balcao_minor( $payment->amountPaid ) - $total;
	foreach ( array_reverse( $moneys ) as $money ) {
		$refund = balcao_refund_of( $order, $money );
		if ( 'Succeeded' !== $money->status ) {
			$is_over = in_array( $money->status, [ 'Failed', 'Canceled' ], true );
			$refund && $is_over && balcao_undo_refund( $order, $refund, $money );
		} elseif ( ! $refund ) {
			$rest = max( 0, balcao_minor( $money->amount ) - max( 0, $excess ) );
			$excess = $excess - balcao_minor( $money->amount ) + $rest;
			balcao_add_refund( $order, $money, $rest );
		} else {
			// An earlier run may have ended before it stored the answer of the gateway.
			$refund->update_meta_data( '_balcao_refund_id', $money->id );
			$refund->save_meta_data();
			'yes' === $refund->get_meta( '_balcao_by_hand' ) || balcao_note_refund( $order, $money );
		}
	}
	foreach ( $is_own ? $order->get_refunds() : [] as $refund ) {
		if ( 'yes' === $refund->get_meta( '_balcao_by_hand' ) && '' === (string) $refund->get_meta( '_balcao_refund_id' ) ) {
			balcao_send_manual_refund( $order, $refund, $payment->internalId );
		}
	}
}

/** Adds a refund that a person made in the console. `$minor` is its part that concerns the order. */
function balcao_add_refund( WC_Order $order, Balcao\Result $money, int $minor ): void {
	$reason = (string) ( $money->reason ?? $money->proof ?? '' );
	$minor  = min( $minor, balcao_minor( $order->get_remaining_refund_amount() ) );
	if ( $minor > 0 ) {
		// WooCommerce saves the refund together with this field, so a crash cannot create it twice.
		$mark = static fn( $refund ) => $refund->update_meta_data( '_balcao_refund_id', $money->id );
		add_action( 'woocommerce_create_refund', $mark );
		$amount = sprintf( '%d.%02d', intdiv( $minor, 100 ), $minor % 100 );
		$made   = wc_create_refund( [ 'order_id' => $order->get_id(), 'amount' => $amount, 'reason' => $reason ] );
		remove_action( 'woocommerce_create_refund', $mark );
		if ( is_wp_error( $made ) ) {
			throw new RuntimeException( "refund $money->id: " . $made->get_error_message() );
		}
	}
	balcao_note_refund( $order, $money, $reason );
}

/** Removes WooCommerce's refund, because the rail refused it after all. */
function balcao_undo_refund( WC_Order $order, WC_Order_Refund $refund, Balcao\Result $money ): void {
	$amount = balcao_money( $money->amount, $money->currency );
	$refund->delete( true );
	/* translators: 1: amount, 2: code of the reason */
	$text = __( 'The refund of %1$s failed (%2$s), and WooCommerce’s refund is removed.', 'balcao' );
	$text = sprintf( $text, $amount, (string) $money->failureCode ) . ' ' . balcao_refund_advice( $amount );
	balcao_note( $order, "undone $money->id", $text );
	$order->has_status( 'refunded' ) && $order->update_status( 'processing' );
}

/** Records at the gateway that a person returned money in another way. */
function balcao_send_manual_refund( WC_Order $order, WC_Order_Refund $refund, string $payment_id ): void {
	$amount = wc_format_decimal( $refund->get_amount(), 2 );
	$part   = balcao_refundable( $payment_id, $amount, false );
	$name   = "wc-{$refund->get_id()}";
	if ( ! $part ) {
		$text = __( 'The gateway has too little money of this order for the manual refund. Check it in the console.', 'balcao' );
		balcao_note( $order, "hand $name", $text );
		return;
	}
	$proof  = balcao_line( (string) $refund->get_reason(), 400 );
	$body   = [ 'method' => 'manual', 'amount' => $amount, 'transactionId' => $part->transactionId, 'reference' => $name ];
	$body  += [ 'proof' => '' === $proof ? "WooCommerce $name" : $proof ];
	$key    = balcao_site() . "-refund-{$refund->get_id()}";
	$money  = balcao_client( 8 )->refunds->create( $payment_id, $body, [ 'idempotency_key' => $key ] );
	$refund->update_meta_data( '_balcao_refund_id', $money->id );
	$refund->save_meta_data();
	/* translators: %s: amount */
	$text = __( 'The gateway recorded your refund of %s in another way.', 'balcao' );
	balcao_note( $order, "hand $name", sprintf( $text, balcao_money( $amount, $order->get_currency() ) ) );
}
