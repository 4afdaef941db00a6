<?php
/**
 * Refunds.
 * https://woocommerce.github.io/code-reference/classes/WC-Order-Refund.html
 * https://woocommerce.github.io/code-reference/files/woocommerce-includes-wc-order-functions.html (wc_create_refund, wc_refund_payment)
 */
class WC_Order_Refund extends WC_Abstract_Order {
	protected const TYPE = 'shop_order_refund';
	public function get_status( $context = 'view' ) { return 'completed'; }
}

function wc_create_refund( $args = [] ) {
	$args += [ 'amount' => 0, 'reason' => null, 'order_id' => 0, 'refund_payment' => false, 'restock_items' => false, 'line_items' => [] ];
	try {
		$order = wc_get_order( $args['order_id'] );
		if ( ! $order ) {
			throw new Exception( 'Invalid order ID.' );
		}
		$remaining = (float) $order->get_remaining_refund_amount();
		if ( 0 > $args['amount'] || $args['amount'] > $remaining + 0.004 ) {
			throw new Exception( 'Invalid refund amount.' );
		}
		$refund = new WC_Order_Refund();
		$refund->set_parent_id( $order->get_id() );
		$refund->set_amount( wc_format_decimal( $args['amount'], 2 ) );
		$refund->set_reason( (string) $args['reason'] );
		$refund->set_currency( $order->get_currency() );
		do_action( 'woocommerce_create_refund', $refund, $args );
		$refund->save();
		if ( $args['refund_payment'] ) {
			$result = wc_refund_payment( $order, $refund->get_amount(), $refund->get_reason() );
			if ( is_wp_error( $result ) ) {
				$refund->delete();
				return $result;
			}
			$refund->set_refunded_payment( true );
			$refund->save();
		}
		if ( $args['restock_items'] ) {
			wc_increase_stock_levels( $order->get_id() );
		}
		$order = wc_get_order( $order->get_id() );
		if ( (float) $order->get_remaining_refund_amount() > 0 ) {
			do_action( 'woocommerce_order_partially_refunded', $order->get_id(), $refund->get_id() );
		} else {
			do_action( 'woocommerce_order_fully_refunded', $order->get_id(), $refund->get_id() );
			$status = apply_filters( 'woocommerce_order_fully_refunded_status', 'refunded', $order->get_id(), $refund->get_id() );
			$status && $order->update_status( $status );
		}
		do_action( 'woocommerce_refund_created', $refund->get_id(), $args );
		do_action( 'woocommerce_order_refunded', $order->get_id(), $refund->get_id() );
		return $refund;
	} catch ( Exception $error ) {
		isset( $refund ) && $refund->get_id() && $refund->delete( true );
		return new WP_Error( 'error', $error->getMessage() );
	}
}

/** @return true|WP_Error */
function wc_refund_payment( $order, $amount, $reason = '' ) {
	$gateway = WC()->payment_gateways()->payment_gateways()[ $order->get_payment_method() ] ?? null;
	if ( ! $gateway || ! $gateway->supports( 'refunds' ) ) {
		return new WP_Error( 'error', 'The payment gateway for this order does not support automatic refunds.' );
	}
	$result = $gateway->process_refund( $order->get_id(), $amount, $reason );
	return is_wp_error( $result ) || $result ? $result : new WP_Error( 'error', 'An error occurred while attempting to create the refund using the payment gateway API.' );
}

// A status `refunded` by hand creates a refund of the rest, without the gateway.
add_action( 'woocommerce_order_status_refunded', static function ( $order_id ): void {
	$rest = wc_get_order( $order_id )->get_remaining_refund_amount();
	(float) $rest > 0 && wc_create_refund( [ 'amount' => $rest, 'reason' => 'Order fully refunded.', 'order_id' => $order_id ] );
} );
