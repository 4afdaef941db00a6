<?php
/**
 * Plugin Name: Stand-in for WooCommerce
 * Description: Documented classes, functions and hooks of WooCommerce, for tests of the plug-in Balcão only.
 * Version: 8.0.0
 *
 * Written from the public documentation. Each part names its page. It contains no code of WooCommerce.
 */

defined( 'ABSPATH' ) || exit;

define( 'WC_VERSION', '8.0.0' );

foreach ( [ 'store', 'order', 'refund', 'stock', 'gateway', 'shop', 'pages', 'blocks', 'admin', 'scheduler' ] as $part ) {
	require_once __DIR__ . "/$part.php";
}

// https://developer.woocommerce.com/docs/how-to-implement-woocommerce-hooks (before_woocommerce_init, woocommerce_loaded)
add_action( 'plugins_loaded', static fn() => do_action( 'woocommerce_loaded' ), -1 );
add_action( 'init', static function (): void {
	do_action( 'before_woocommerce_init' );
	WC()->payment_gateways();
	do_action( 'woocommerce_init' );
}, 0 );
