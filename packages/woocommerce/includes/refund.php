<?php
/**
 * Refunds from the order, and refunds that people made in the gateway's console.
 *
 * @package Balcao
 */

defined( 'ABSPATH' ) || exit;

add_action( 'woocommerce_create_refund', 'balcao_mark_manual_refund', 10, 2 );
add_action( 'woocommerce_order_refunded', 'balcao_record_manual_refund', 10, 2 );

/**
 * Refunds money through the rail.
 *
 * @return true|WP_Error with a sentence that says what to do
 */
function balcao_refund( int $order_id, string $amount, string $reason ) {
	try {
		return balcao_with_order( $order_id, 15, static function ( WC_Order $order ) use ( $amount, $reason ) {
			return balcao_refund_locked( $order, $amount, $reason );
		} );
	} catch ( Balcao\Error $error ) {
		$by_hand = [ 'refund_unsupported', 'refund_whole_only' ];
		$text    = in_array( $error->code, $by_hand, true ) ? balcao_refund_advice( $amount ) : balcao_reason( $error );
		return new WP_Error( 'balcao', $text );
	} catch ( RuntimeException $error ) {
		return new WP_Error( 'balcao', $error->getMessage() );
	}
}

function balcao_refund_locked( WC_Order $order, string $amount, string $reason ) {
	$payment_id = (string) $order->get_transaction_id();
	$refund     = balcao_newest_refund( $order, $amount );
	if ( '' === $payment_id || ! $refund ) {
		return new WP_Error( 'balcao', __( 'The gateway has no money of this order.', 'balcao' ) );
	}
	// An earlier request may have reached the gateway although its answer was lost.
	$money = balcao_lost_refund( $order, $payment_id, $amount );
	if ( ! $money ) {
		$part = balcao_refundable( $payment_id, $amount, true );
		if ( ! $part ) {
			$text = balcao_refund_advice( $amount );
			$order->add_order_note( $text );
			return new WP_Error( 'balcao', $text );
		}
		$body    = [ 'amount' => $amount, 'transactionId' => $part->transactionId, 'reference' => "wc-{$refund->get_id()}" ];
		$options = [ 'idempotency_key' => balcao_site() . "-refund-{$refund->get_id()}", 'prefer' => 'wait=10' ];
		$reason  = balcao_line( $reason, 200 );
		$money   = balcao_client()->refunds->create( $payment_id, $body + array_filter( [ 'reason' => $reason ] ), $options );
	}
	if ( in_array( $money->status, [ 'Failed', 'Canceled' ], true ) ) {
		/* translators: %s: code of the reason */
		$text = sprintf( __( 'The provider refused the refund (%s).', 'balcao' ), (string) $money->failureCode );
		return new WP_Error( 'balcao', $text . ' ' . balcao_refund_advice( $amount ) );
	}
	$refund->update_meta_data( '_balcao_refund_id', $money->id );
	$refund->save_meta_data();
	$text = 'Succeeded' === $money->status
		/* translators: %s: amount */
		? __( 'Balcão refunded %s.', 'balcao' )
		/* translators: %s: amount */
		: __( 'Balcão is refunding %s. A note follows when the provider has decided.', 'balcao' );
	balcao_note( $order, "refund $money->id $money->status", sprintf( $text, balcao_money( $amount, $order->get_currency() ) ) );
	return true;
}

/** Says what to do if the rail cannot refund. */
function balcao_refund_advice( string $amount ): string {
	/* translators: %s: amount */
	$text = __( 'The provider cannot refund this amount. Transfer %s to the buyer yourself, then press “Refund manually” with the number of the transfer as the reason. The plug-in records it in the gateway.', 'balcao' );
	return sprintf( $text, balcao_money( $amount ) );
}

/** WooCommerce stores its refund before it calls the gateway. It is the newest one of this amount without an id. */
function balcao_newest_refund( WC_Order $order, string $amount ): ?WC_Order_Refund {
	foreach ( $order->get_refunds() as $refund ) {
		$is_same = balcao_minor( wc_format_decimal( $refund->get_amount(), 2 ) ) === balcao_minor( $amount );
		if ( $is_same && '' === (string) $refund->get_meta( '_balcao_refund_id' ) ) {
			return $refund;
		}
	}
	return null;
}

/** A refund of this amount at the gateway that this shop requested, and whose refund in WooCommerce is gone. */
function balcao_lost_refund( WC_Order $order, string $payment_id, string $amount ): ?Balcao\Result {
	foreach ( balcao_client()->payments->listRefunds( $payment_id, [ 'pageSize' => 100 ] )->page()->data as $money ) {
		$is_alive = ! in_array( $money->status, [ 'Failed', 'Canceled' ], true );
		if ( $is_alive && 0 === strpos( (string) $money->reference, 'wc-' ) && $money->amount === $amount
			&& ! balcao_refund_of( $order, $money ) ) {
			return $money;
		}
	}
	return null;
}

/** WooCommerce's refund of a refund at the gateway. */
function balcao_refund_of( WC_Order $order, Balcao\Result $money ): ?WC_Order_Refund {
	foreach ( $order->get_refunds() as $refund ) {
		$id = (string) $refund->get_meta( '_balcao_refund_id' );
		if ( $id === $money->id || ( '' === $id && "wc-{$refund->get_id()}" === $money->reference ) ) {
			return $refund;
		}
	}
	return null;
}

/** A transaction with enough money for the refund. */
function balcao_refundable( string $payment_id, string $amount, bool $by_rail ): ?Balcao\Result {
	foreach ( balcao_client()->refunds->listable( $payment_id )->data as $part ) {
		$left   = balcao_minor( $part->amount ) - balcao_minor( $amount );
		$is_fit = $by_rail ? ( 'part' === $part->byRail && $left >= 0 ) || ( 'whole' === $part->byRail && 0 === $left ) : $left >= 0;
		if ( $is_fit ) {
			return $part;
		}
	}
	return null;
}

/** One line of text. */
function balcao_line( string $text, int $length ): string {
	return mb_substr( trim( preg_replace( '/\s+/', ' ', wp_strip_all_tags( $text ) ) ), 0, $length );
}

/** Marks a refund that a person made without the rail. A change of the status alone is no proof of a refund. */
function balcao_mark_manual_refund( $refund, array $args ): void {
	$order = wc_get_order( $refund->get_parent_id() );
	if ( $order instanceof WC_Order && '' !== balcao_method_of( $order ) && empty( $args['refund_payment'] )
		&& ! balcao_is_following() && ! doing_action( 'woocommerce_order_status_refunded' ) ) {
		$refund->update_meta_data( '_balcao_by_hand', 'yes' );
	}
}

function balcao_record_manual_refund( int $order_id, int $refund_id ): void {
	$refund = wc_get_order( $refund_id );
	if ( $refund instanceof WC_Order_Refund && 'yes' === $refund->get_meta( '_balcao_by_hand' ) ) {
		balcao_sync_again( $order_id, (string) wc_get_order( $order_id )->get_transaction_id() );
	}
}

/** Compares the refunds of WooCommerce with those of the gateway, and adds what one of them lacks. */
function balcao_follow_refunds( WC_Order $order, Balcao\Model\Payment $payment ): void {
	if ( $payment->internalId !== $order->get_transaction_id() ) {
		/* translators: %s: amount */
		$text = __( 'Balcão refunded %s of money that the order does not need.', 'balcao' );
		if ( '0.00' !== $payment->amountRefunded ) {
			$money = balcao_money( $payment->amountRefunded, $payment->currency );
			balcao_note( $order, "other refund $payment->internalId $payment->amountRefunded", sprintf( $text, $money ) );
		}
		return;
	}
	// A refund in the console returns the excess first, which is no part of the order.
	$excess = max( 0, balcao_minor( $payment->amountPaid ) - balcao_minor( wc_format_decimal( $order->get_total(), 2 ) ) );
	$moneys = balcao_client( 8 )->payments->listRefunds( $payment->internalId, [ 'pageSize' => 100 ] )->page()->data;
	foreach ( array_reverse( $moneys ) as $money ) {
		$excess = balcao_follow_refund( $order, $money, balcao_refund_of( $order, $money ), $excess );
	}
	foreach ( $order->get_refunds() as $refund ) {
		if ( 'yes' === $refund->get_meta( '_balcao_by_hand' ) && '' === (string) $refund->get_meta( '_balcao_refund_id' ) ) {
			balcao_send_manual_refund( $order, $refund, $payment->internalId );
		}
	}
}

/** Follows one refund of the gateway. @return int the excess that is left, in minor units */
function balcao_follow_refund( WC_Order $order, Balcao\Result $money, ?WC_Order_Refund $refund, int $excess ): int {
	$text = balcao_money( $money->amount, $money->currency );
	if ( 'Succeeded' === $money->status && $refund ) {
		$refund->update_meta_data( '_balcao_refund_id', $money->id );
		$refund->save_meta_data();
		/* translators: %s: amount */
		balcao_note( $order, "refund $money->id Succeeded", sprintf( __( 'Balcão refunded %s.', 'balcao' ), $text ) );
	} elseif ( 'Succeeded' === $money->status ) {
		$rest    = max( 0, balcao_minor( $money->amount ) - $excess );
		$excess -= balcao_minor( $money->amount ) - $rest;
		$reason  = (string) ( $money->reason ?? $money->proof ?? '' );
		/* translators: 1: amount, 2: reason */
		$note = sprintf( __( 'Balcão refunded %1$s in the console of the gateway. %2$s', 'balcao' ), $text, $reason );
		if ( $rest > 0 && balcao_minor( $order->get_remaining_refund_amount() ) > 0 ) {
			$rest = min( $rest, balcao_minor( wc_format_decimal( $order->get_remaining_refund_amount(), 2 ) ) );
			$args = [ 'order_id' => $order->get_id(), 'amount' => balcao_decimal( $rest ), 'reason' => $reason ];
			// WooCommerce saves the refund with this field, so a crash cannot create it twice.
			$add = static fn( $created ) => $created->update_meta_data( '_balcao_refund_id', $money->id );
			add_action( 'woocommerce_create_refund', $add );
			$created = wc_create_refund( $args );
			remove_action( 'woocommerce_create_refund', $add );
			if ( is_wp_error( $created ) ) {
				throw new RuntimeException( "refund $money->id: " . $created->get_error_message() );
			}
		}
		balcao_note( $order, "refund $money->id Succeeded", $note );
	} elseif ( 'Failed' === $money->status || 'Canceled' === $money->status ) {
		if ( $refund ) {
			$refund->delete( true );
			/* translators: 1: amount, 2: code of the reason */
			$note = sprintf( __( 'The refund of %1$s failed (%2$s), and WooCommerce’s refund is removed.', 'balcao' ), $text, (string) $money->failureCode );
			balcao_note( $order, "refund $money->id Failed", $note . ' ' . balcao_refund_advice( $money->amount ) );
			if ( $order->has_status( 'refunded' ) ) {
				$order->update_status( 'processing' );
			}
		}
	}
	return $excess;
}

/** Records at the gateway that a person returned money in another way. */
function balcao_send_manual_refund( WC_Order $order, WC_Order_Refund $refund, string $payment_id ): void {
	$amount = wc_format_decimal( $refund->get_amount(), 2 );
	$part   = balcao_refundable( $payment_id, $amount, false );
	if ( ! $part ) {
		balcao_note( $order, "hand {$refund->get_id()}", __( 'The gateway has too little money of this order for the manual refund. Check it in the console.', 'balcao' ) );
		return;
	}
	$reason = balcao_line( $refund->get_reason(), 400 );
	$body   = [
		'method'        => 'manual',
		'amount'        => $amount,
		'transactionId' => $part->transactionId,
		'reference'     => "wc-{$refund->get_id()}",
		'proof'         => '' === $reason ? "WooCommerce {$refund->get_id()}" : $reason,
	];
	$key    = [ 'idempotency_key' => balcao_site() . "-refund-{$refund->get_id()}" ];
	$money  = balcao_client( 8 )->refunds->create( $payment_id, $body, $key );
	$refund->update_meta_data( '_balcao_refund_id', $money->id );
	$refund->save_meta_data();
	/* translators: %s: amount */
	$text = __( 'The gateway recorded your refund of %s in another way.', 'balcao' );
	balcao_note( $order, "refund $money->id Succeeded", sprintf( $text, balcao_money( $amount, $order->get_currency() ) ) );
}
