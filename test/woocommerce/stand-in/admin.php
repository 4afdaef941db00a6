<?php
/**
 * The menu, the list of orders with its search and the screen of an order.
 * https://developer.woocommerce.com/docs/hpos-extension-recipe-book (order screens, meta boxes, columns)
 * https://woocommerce.com/document/managing-orders/ (refund buttons)
 */
function wc_get_page_screen_id( $for ) { return Stand_In_Store::is_hpos() ? 'woocommerce_page_wc-orders' : 'shop_order'; }

add_action( 'init', static function (): void {
	$role = get_role( 'administrator' );
	foreach ( [ 'manage_woocommerce', 'edit_shop_orders' ] as $capability ) {
		$role && ! $role->has_cap( $capability ) && $role->add_cap( $capability );
	}
}, 20 );
add_action( 'admin_menu', static function (): void {
	add_menu_page( 'WooCommerce', 'WooCommerce', 'manage_woocommerce', 'woocommerce', '__return_null' );
	add_submenu_page( 'woocommerce', 'Orders', 'Orders', 'edit_shop_orders', 'wc-orders', 'stand_in_show_orders' );
}, 50 );

function stand_in_show_orders(): void {
	$order = wc_get_order( absint( $_GET['id'] ?? 0 ) );
	if ( $order ) {
		stand_in_show_order( $order );
		return;
	}
	$search  = sanitize_text_field( wp_unslash( $_GET['s'] ?? '' ) );
	$keys    = apply_filters( Stand_In_Store::is_hpos() ? 'woocommerce_order_table_search_query_meta_keys' : 'woocommerce_shop_order_search_fields', [ '_billing_first_name', '_billing_email' ] );
	$columns = apply_filters( Stand_In_Store::is_hpos() ? 'manage_woocommerce_page_wc-orders_columns' : 'manage_edit-shop_order_columns', [ 'order_number' => 'Order', 'order_status' => 'Status', 'order_total' => 'Total' ] );
	echo '<div class="wrap"><h1>Orders</h1><form><input type="hidden" name="page" value="wc-orders"><input type="search" name="s" value="' . esc_attr( $search ) . '"> <button class="button">Search orders</button></form><table class="widefat striped"><thead><tr>';
	echo implode( '', array_map( static fn( $column ) => '<th>' . esc_html( $column ) . '</th>', $columns ) ), '</tr></thead><tbody>';
	foreach ( Stand_In_Store::find( 'shop_order', 0, $search, $keys ) as $id ) {
		$order = wc_get_order( $id );
		$cells = [ 'order_number' => '<a href="' . esc_url( $order->get_edit_order_url() ) . "\">#$id</a>", 'order_status' => esc_html( $order->get_status() ), 'order_total' => wc_price( $order->get_total() ) ];
		echo '<tr>';
		foreach ( array_keys( $columns ) as $column ) {
			echo '<td>', $cells[ $column ] ?? '';
			Stand_In_Store::is_hpos() ? do_action( 'manage_woocommerce_page_wc-orders_custom_column', $column, $order ) : do_action( 'manage_shop_order_posts_custom_column', $column, $id );
			echo '</td>';
		}
		echo '</tr>';
	}
	echo '</tbody></table></div>';
}

function stand_in_show_order( WC_Order $order ): void {
	require_once ABSPATH . 'wp-admin/includes/meta-boxes.php';
	$screen = wc_get_page_screen_id( 'shop-order' );
	printf( '<div class="wrap"><h1>Order #%s</h1><form method="post" id="order"><p>Status: <b>%s</b>, %s, %s</p><div id="poststuff"><div id="post-body" class="columns-2"><div id="post-body-content"><h2>Notes</h2><ul>', esc_html( $order->get_order_number() ), esc_html( $order->get_status() ), wc_price( $order->get_total() ), esc_html( $order->get_payment_method_title() ) );
	foreach ( wc_get_order_notes( [ 'order_id' => $order->get_id() ] ) as $note ) {
		echo '<li>', esc_html( $note->content ), '</li>';
	}
	echo '</ul>';
	do_action( 'woocommerce_admin_order_totals_after_total', $order->get_id() );
	echo '</div><div id="postbox-container-1">';
	do_action( 'add_meta_boxes', $screen, $order );
	do_action( "add_meta_boxes_$screen", $order );
	do_meta_boxes( $screen, 'side', $order );
	echo '</div></div></div></form></div>';
}
