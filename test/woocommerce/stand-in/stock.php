<?php
/**
 * Products and stock.
 * https://woocommerce.github.io/code-reference/files/woocommerce-includes-wc-stock-functions.html
 * https://woocommerce.com/document/managing-orders/order-statuses/ (which statuses reduce and restore stock)
 */
class WC_Product {
	public function __construct( private int $id ) {}
	public function get_id() { return $this->id; }
	public function get_name() { return get_the_title( $this->id ); }
	public function get_price( $context = 'view' ) { return (string) get_post_meta( $this->id, '_price', true ); }
	public function get_stock_quantity( $context = 'view' ) { return (int) get_post_meta( $this->id, '_stock', true ); }
}

function wc_get_product( $id ) { return 'product' === get_post_type( $id ) ? new WC_Product( (int) $id ) : false; }

/** Changes the stock in one statement, so that concurrent orders add up. */
function wc_update_product_stock( $product, $quantity, $operation = 'set', $updating = false ) {
	global $wpdb;
	$sign = [ 'set' => '0 *', 'increase' => '1 *', 'decrease' => '1 *' ][ $operation ];
	$plus = 'decrease' === $operation ? -$quantity : $quantity;
	$wpdb->query( $wpdb->prepare( "UPDATE $wpdb->postmeta SET meta_value = $sign meta_value + %d WHERE post_id = %d AND meta_key = '_stock'", $plus, $product->get_id() ) );
	wp_cache_delete( $product->get_id(), 'post_meta' );
	return $product->get_stock_quantity();
}

/** The mark of an order, then its items: each item is reduced and restored once. */
function stand_in_move_stock( int $order_id, string $operation ): void {
	$order = wc_get_order( $order_id );
	$notes = [];
	$items = (array) ( $order->get_meta( '_stand_in_items' ) ?: [] );
	foreach ( $items as $nth => $item ) {
		$reduced = (int) ( $item['reduced'] ?? 0 );
		if ( ( 'decrease' === $operation ) === ( $reduced > 0 ) ) {
			continue;
		}
		$product                  = wc_get_product( $item['product'] );
		$left                     = wc_update_product_stock( $product, $item['quantity'], $operation );
		$items[ $nth ]['reduced'] = 'decrease' === $operation ? $item['quantity'] : 0;
		$notes[]                  = "{$product->get_name()} → $left";
	}
	if ( $notes ) {
		$order->update_meta_data( '_stand_in_items', $items );
		$order->save_meta_data();
		$order->add_order_note( ( 'decrease' === $operation ? 'Stock levels reduced: ' : 'Stock levels increased: ' ) . implode( ', ', $notes ) );
		do_action( 'decrease' === $operation ? 'woocommerce_reduce_order_stock' : 'woocommerce_restore_order_stock', $order );
	}
}

function wc_reduce_stock_levels( $order_id ) { stand_in_move_stock( $order_id instanceof WC_Order ? $order_id->get_id() : (int) $order_id, 'decrease' ); }
function wc_increase_stock_levels( $order_id ) { stand_in_move_stock( $order_id instanceof WC_Order ? $order_id->get_id() : (int) $order_id, 'increase' ); }

function wc_maybe_reduce_stock_levels( $order_id ) {
	$order   = wc_get_order( $order_id );
	$is_done = 'yes' === $order->get_meta( '_order_stock_reduced' );
	if ( apply_filters( 'woocommerce_payment_complete_reduce_order_stock', ! $is_done, $order_id ) ) {
		wc_reduce_stock_levels( $order_id );
		Stand_In_Store::set_meta( (int) $order_id, '_order_stock_reduced', 'yes' );
	}
}

function wc_maybe_increase_stock_levels( $order_id ) {
	if ( 'yes' === wc_get_order( $order_id )->get_meta( '_order_stock_reduced' ) ) {
		wc_increase_stock_levels( $order_id );
		Stand_In_Store::set_meta( (int) $order_id, '_order_stock_reduced', 'no' );
	}
}

foreach ( [ 'payment_complete', 'order_status_completed', 'order_status_processing', 'order_status_on-hold' ] as $hook ) {
	add_action( "woocommerce_$hook", 'wc_maybe_reduce_stock_levels' );
}
foreach ( [ 'order_status_cancelled', 'order_status_pending' ] as $hook ) {
	add_action( "woocommerce_$hook", 'wc_maybe_increase_stock_levels' );
}
