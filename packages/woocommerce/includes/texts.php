<?php
// Languages of the plug-in, and words for states, methods and times.

defined( 'ABSPATH' ) || exit;

add_filter( 'load_textdomain_mofile', 'balcao_choose_texts', 10, 2 );
load_plugin_textdomain( 'balcao', false, dirname( plugin_basename( BALCAO_FILE ) ) . '/languages' );

/** Every kind of Portuguese gets the texts of Angola, unless the site has a translation of its own. */
function balcao_choose_texts( $file, $domain ) {
	if ( 'balcao' !== $domain || is_readable( $file ) || ! preg_match( '/balcao-pt(_\w+)?\.mo$/', (string) $file ) ) {
		return $file;
	}
	return BALCAO_DIR . 'languages/balcao-pt_AO.mo';
}

/** The gateway's status of a payment, for people. */
function balcao_status_text( string $status ): string {
	$texts = [
		'Pending'    => __( 'Waiting for payment', 'balcao' ),
		'Processing' => __( 'Request sent', 'balcao' ),
		'Paid'       => __( 'Paid', 'balcao' ),
		'Failed'     => __( 'Not paid', 'balcao' ),
		'Canceled'   => __( 'Canceled', 'balcao' ),
		'Expired'    => __( 'Expired', 'balcao' ),
	];
	return $texts[ $status ] ?? $status;
}

function balcao_method_text( string $method ): string {
	$texts = [
		'express'   => __( 'Multicaixa Express', 'balcao' ),
		'qrcode'    => __( 'QR code', 'balcao' ),
		'reference' => __( 'Payment by reference', 'balcao' ),
	];
	return $texts[ $method ] ?? $method;
}

/** A time of the gateway, in the time zone and format of the site. */
function balcao_until_text( string $iso ): string {
	$time = '' === $iso ? false : strtotime( $iso );
	return $time ? wp_date( get_option( 'date_format' ) . ', ' . get_option( 'time_format' ), $time ) : '';
}
