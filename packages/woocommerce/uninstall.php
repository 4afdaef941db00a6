<?php
// Removes settings, secrets, tokens and schedules if a person deletes the plug-in. Orders keep their payments.

defined( 'WP_UNINSTALL_PLUGIN' ) || exit;

global $wpdb;
$balcao_gateways = array_map( static fn( $method ) => "woocommerce_balcao_{$method}_settings", [ 'express', 'qrcode', 'reference' ] );
foreach ( [ 'balcao_settings', 'balcao_feed', 'balcao_times', 'balcao_later', ...$balcao_gateways ] as $balcao_name ) {
	delete_option( $balcao_name );
}
$wpdb->query( "DELETE FROM $wpdb->options WHERE option_name REGEXP '^_transient_(timeout_)?balcao_'" ); // phpcs:ignore WordPress.DB
wp_unschedule_hook( 'balcao_feed' );
wp_unschedule_hook( 'balcao_sync_later' );
function_exists( 'as_unschedule_all_actions' ) && as_unschedule_all_actions( 'balcao_feed' );
