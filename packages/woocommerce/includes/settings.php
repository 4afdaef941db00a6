<?php
// The settings page of the connection, for all payment methods.

defined( 'ABSPATH' ) || exit;

require_once __DIR__ . '/connect.php';

add_action( 'admin_menu', 'balcao_add_settings_page', 60 );
add_action( 'admin_post_balcao_save', 'balcao_save_settings' );
add_filter( 'plugin_action_links_' . plugin_basename( BALCAO_FILE ), 'balcao_link_settings' );
add_action( 'update_option_balcao_feed', static fn() => balcao_note_time( 'feed' ) );

function balcao_settings_capability(): string {
	return class_exists( 'WooCommerce' ) ? 'manage_woocommerce' : 'manage_options';
}

function balcao_settings_address(): string {
	return admin_url( ( class_exists( 'WooCommerce' ) ? 'admin.php' : 'options-general.php' ) . '?page=balcao' );
}

function balcao_add_settings_page(): void {
	$parent = class_exists( 'WooCommerce' ) ? 'woocommerce' : 'options-general.php';
	add_submenu_page( $parent, 'Balcão', 'Balcão', balcao_settings_capability(), 'balcao', 'balcao_show_settings' );
}

function balcao_link_settings( array $links ): array {
	$link = sprintf( '<a href="%s">%s</a>', esc_url( balcao_settings_address() ), esc_html__( 'Settings', 'balcao' ) );
	return array_merge( [ $link ], $links );
}

/** Notes when an event arrived, and by which way. An owner then sees a firewall that blocks webhooks. */
function balcao_note_time( string $name ): void {
	$times = (array) get_option( 'balcao_times', [] );
	if ( ( $times[ $name ] ?? 0 ) < time() - 5 ) {
		update_option( 'balcao_times', array_merge( $times, [ $name => time() ] ), false );
	}
}

function balcao_save_settings(): void {
	if ( ! current_user_can( balcao_settings_capability() ) ) {
		wp_die( esc_html__( 'You may not change these settings.', 'balcao' ), '', [ 'response' => 403 ] );
	}
	check_admin_referer( 'balcao_save' );
	$typed = [];
	foreach ( [ 'url', 'client_id', 'client_secret', 'min_amount', 'max_amount' ] as $name ) {
		$typed[ $name ] = isset( $_POST[ $name ] ) ? sanitize_text_field( wp_unslash( $_POST[ $name ] ) ) : '';
	}
	$results = balcao_connect( $typed );
	unset( $typed['client_secret'] );
	set_transient( 'balcao_saved_' . get_current_user_id(), [ 'results' => $results, 'typed' => $typed ], 60 );
	wp_safe_redirect( balcao_settings_address() );
	exit;
}

function balcao_show_settings(): void {
	$saved = (array) get_transient( 'balcao_saved_' . get_current_user_id() );
	delete_transient( 'balcao_saved_' . get_current_user_id() );
	// After a refusal the form shows the typed values, except the secret.
	$is_refused = 'error' === ( $saved['results'][0][0] ?? '' );
	$values     = $is_refused ? $saved['typed'] + balcao_settings() : balcao_settings();
	echo '<div class="wrap"><h1>Balcão</h1>';
	foreach ( $saved['results'] ?? [] as [ $tone, $text ] ) {
		printf( '<div class="notice notice-%s"><p>%s</p></div>', esc_attr( $tone ), esc_html( $text ) );
	}
	if ( ! balcao_is_connected() ) {
		$steps = [
			__( 'Open the console of your gateway and choose Developers, then WordPress.', 'balcao' ),
			__( 'Press “Connect a WordPress shop”. The page shows three values.', 'balcao' ),
			__( 'Copy them into this form and save. The plug-in does the rest.', 'balcao' ),
		];
		echo '<ol><li>' . implode( '</li><li>', array_map( 'esc_html', $steps ) ) . '</li></ol>';
	}
	printf( '<form method="post" action="%s"><input type="hidden" name="action" value="balcao_save">', esc_url( admin_url( 'admin-post.php' ) ) );
	wp_nonce_field( 'balcao_save' );
	echo '<table class="form-table" role="presentation">';
	$kept = '' === balcao_settings()['client_secret'] ? '' : __( 'A secret is stored. Leave the field empty to keep it.', 'balcao' );
	balcao_show_field( 'url', __( 'Address of the gateway', 'balcao' ), $values, 'https://pay.example', '', 'required' );
	balcao_show_field( 'client_id', __( 'Client id', 'balcao' ), $values, '', '', 'required' );
	balcao_show_field( 'client_secret', __( 'Client secret', 'balcao' ), [ 'client_secret' => '' ], '', $kept, '' === $kept ? 'required' : '' );
	if ( class_exists( 'WooCommerce' ) ) {
		balcao_show_field( 'min_amount', __( 'Minimum of an order', 'balcao' ), $values, '', __( 'In kwanzas. Below it the checkout does not offer Balcão. Empty: no minimum.', 'balcao' ) );
		balcao_show_field( 'max_amount', __( 'Maximum of an order', 'balcao' ), $values, '', __( 'In kwanzas. Above it the checkout does not offer Balcão. Empty: no maximum.', 'balcao' ) );
	}
	echo '</table>';
	submit_button( __( 'Save and connect', 'balcao' ) );
	echo '</form>';
	if ( balcao_is_connected() ) {
		balcao_show_state();
	}
	echo '<h2>' . esc_html__( 'Permissions that the credentials need', 'balcao' ) . '</h2><ul class="ul-disc">';
	foreach ( balcao_scopes() as $scope => $purpose ) {
		printf( '<li><code>%s</code> – %s</li>', esc_html( $scope ), esc_html( $purpose ) );
	}
	echo '</ul></div>';
}

function balcao_show_field( string $name, string $label, array $values, string $example, string $hint, string $required = '' ): void {
	printf(
		'<tr><th scope="row"><label for="balcao_%1$s">%2$s</label></th><td><input class="regular-text" id="balcao_%1$s" name="%1$s" type="%3$s" value="%4$s" placeholder="%5$s" autocomplete="off" spellcheck="false" %6$s>%7$s</td></tr>',
		esc_attr( $name ),
		esc_html( $label ),
		'client_secret' === $name ? 'password' : 'text',
		esc_attr( (string) $values[ $name ] ),
		esc_attr( $example ),
		'' === $required ? '' : 'required',
		'' === $hint ? '' : '<p class="description">' . esc_html( $hint ) . '</p>'
	);
}

/** The state of the connection: what arrived last, and by which way. */
function balcao_show_state(): void {
	$settings = balcao_settings();
	$times    = (array) get_option( 'balcao_times', [] );
	$rows     = [
		__( 'Gateway', 'balcao' ) => $settings['url'] . ( 'yes' === $settings['test_mode'] ? ' – ' . __( 'test environment, no real money moves', 'balcao' ) : '' ),
	];
	if ( class_exists( 'WooCommerce' ) ) {
		$rows[ __( 'Address for webhooks', 'balcao' ) ]  = balcao_webhook_url();
		$rows[ __( 'Last webhook', 'balcao' ) ]          = balcao_time_text( $times['webhook'] ?? 0 );
		$rows[ __( 'Last event by the feed', 'balcao' ) ] = balcao_time_text( $times['feed'] ?? 0 );
	}
	echo '<h2>' . esc_html__( 'State', 'balcao' ) . '</h2><table class="widefat striped" style="max-width:60em"><tbody>';
	foreach ( $rows as $label => $text ) {
		printf( '<tr><th scope="row">%s</th><td>%s</td></tr>', esc_html( $label ), esc_html( $text ) );
	}
	echo '</tbody></table>';
	foreach ( class_exists( 'WooCommerce' ) ? balcao_warnings( $times ) : [] as $text ) {
		printf( '<div class="notice notice-warning inline"><p>%s</p></div>', esc_html( $text ) );
	}
}

/** @return list<string> what an owner should look into */
function balcao_warnings( array $times ): array {
	$reason   = balcao_unavailable_reason();
	$warnings = '' === $reason ? [] : [ $reason ];
	if ( ( $times['feed'] ?? 0 ) > ( $times['webhook'] ?? 0 ) + 300 ) {
		$warnings[] = __( 'The feed brings events that the webhook does not. A firewall may block webhooks: allow POST requests to /wp-json/balcao/. Orders follow all the same, within a minute.', 'balcao' );
	}
	if ( ( $times['forged'] ?? 0 ) > max( $times['webhook'] ?? 0, time() - WEEK_IN_SECONDS ) ) {
		$warnings[] = __( 'The last webhook had a wrong signature. Save this page once to renew the secret.', 'balcao' );
	}
	$next = wp_next_scheduled( 'balcao_feed' );
	if ( ! $next || $next < time() - 15 * MINUTE_IN_SECONDS ) {
		$warnings[] = __( 'WordPress does not run its scheduled tasks (WP-Cron). Let your host call wp-cron.php each minute.', 'balcao' );
	}
	return $warnings;
}

function balcao_time_text( int $time ): string {
	if ( ! $time ) {
		return __( 'none yet', 'balcao' );
	}
	/* translators: 1: time, 2: duration such as "5 minutes" */
	return sprintf( __( '%1$s (%2$s ago)', 'balcao' ), wp_date( 'Y-m-d H:i', $time ), human_time_diff( $time ) );
}
