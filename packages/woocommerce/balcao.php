<?php
/**
 * Plugin Name: Balcão
 * Description: Multicaixa Express, QR codes and payment references for WooCommerce, by your own Balcão gateway.
 * Version: 0.2.0
 * Requires at least: 6.1
 * Requires PHP: 7.4
 * Author: Balcão
 * License: GPL-2.0-or-later
 * Text Domain: balcao
 * Domain Path: /languages
 * WC requires at least: 8.0
 */

defined( 'ABSPATH' ) || exit;

define( 'BALCAO_VERSION', '0.2.0' );
define( 'BALCAO_FILE', __FILE__ );
define( 'BALCAO_DIR', plugin_dir_path( __FILE__ ) );
const BALCAO_METHODS = [ 'express', 'qrcode', 'reference' ];

// Packing copies the PHP client to `lib`. In the repository it stays in its own package.
$balcao_client_file = is_file( BALCAO_DIR . 'lib/autoload.php' ) ? 'lib/autoload.php' : '../php/src/autoload.php';
require_once BALCAO_DIR . $balcao_client_file;
require_once BALCAO_DIR . 'includes/core.php';
require_once BALCAO_DIR . 'includes/feed.php';

add_action( 'plugins_loaded', static function (): void {
	$shop  = [ 'pay', 'sync', 'refund', 'webhook', 'actions', 'gateway', 'order-box', 'blocks', 'thank-you' ];
	$files = array_merge( [ 'texts', 'settings', 'link-block' ], class_exists( 'WooCommerce' ) ? $shop : [] );
	foreach ( $files as $name ) {
		require_once BALCAO_DIR . "includes/$name.php";
	}
}, 11 );

add_action( 'before_woocommerce_init', static function (): void {
	$features = 'Automattic\WooCommerce\Utilities\FeaturesUtil';
	if ( class_exists( $features ) ) {
		$features::declare_compatibility( 'custom_order_tables', BALCAO_FILE, true );
		$features::declare_compatibility( 'cart_checkout_blocks', BALCAO_FILE, true );
	}
} );

add_filter( 'woocommerce_payment_gateways', static function ( array $gateways ): array {
	return array_merge( $gateways, array_map( static fn( $method ) => new Balcao_Gateway( $method ), BALCAO_METHODS ) );
} );

register_activation_hook( __FILE__, 'balcao_activate' );
register_deactivation_hook( __FILE__, 'balcao_stop_schedules' );
