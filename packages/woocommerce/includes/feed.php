<?php
// Reads the gateway's event feed each minute. A firewall that stops webhooks then costs a minute, never an order.

defined( 'ABSPATH' ) || exit;

add_filter( 'cron_schedules', static function ( array $schedules ): array {
	return $schedules + [ 'balcao_minute' => [ 'interval' => 60, 'display' => __( 'Each minute', 'balcao' ) ] ];
} );
add_action( 'balcao_feed', 'balcao_read_feed' );
add_action( 'balcao_sync_later', 'balcao_sync_again', 10, 3 );
add_action( 'init', 'balcao_start_schedules', 20 );

/** Starts both schedules. Each of them alone is enough, and shops often switch one off. */
function balcao_start_schedules(): void {
	if ( ! wp_next_scheduled( 'balcao_feed' ) ) {
		wp_schedule_event( time(), 'balcao_minute', 'balcao_feed' );
	}
	// Action Scheduler needs a query to find its action, so only the administration checks it.
	if ( is_admin() && did_action( 'action_scheduler_init' ) && ! as_has_scheduled_action( 'balcao_feed' ) ) {
		as_schedule_recurring_action( time(), 60, 'balcao_feed', [], 'balcao', true );
	}
}

/** Starts the schedules, with the repeats that waited for this activation. */
function balcao_activate(): void {
	foreach ( (array) get_option( 'balcao_later', [] ) as $arguments ) {
		wp_schedule_single_event( time(), 'balcao_sync_later', $arguments );
	}
	delete_option( 'balcao_later' );
	balcao_start_schedules();
}

/** Without the plug-in WordPress would run its repeats into nothing, so an option keeps them. */
function balcao_stop_schedules(): void {
	$later = [];
	foreach ( (array) _get_cron_array() as $hooks ) {
		$later = array_merge( $later, array_column( $hooks['balcao_sync_later'] ?? [], 'args' ) );
	}
	update_option( 'balcao_later', $later, false );
	wp_unschedule_hook( 'balcao_sync_later' );
	wp_clear_scheduled_hook( 'balcao_feed' );
	if ( did_action( 'action_scheduler_init' ) ) {
		as_unschedule_all_actions( 'balcao_feed' );
	}
}

/** Identifies the feed. A cursor of another gateway or merchant means nothing here. */
function balcao_feed_id(): string {
	return md5( balcao_settings()['url'] . ' ' . balcao_settings()['merchant_id'] );
}

/** The cursor of the feed, or '' before the first payment and after a change of the gateway. */
function balcao_cursor(): string {
	$feed = (array) get_option( 'balcao_feed', [] );
	return ( $feed['of'] ?? '' ) === balcao_feed_id() ? (string) $feed['cursor'] : '';
}

/** `$tries` counts the runs that began with this cursor. It is stored before the work, so a crash counts too. */
function balcao_save_cursor( string $cursor, int $tries = 0 ): void {
	update_option( 'balcao_feed', [ 'of' => balcao_feed_id(), 'cursor' => $cursor, 'tries' => $tries ], false );
}

/** Ensures that the feed has a cursor before a payment exists. The feed then reports everything about the payment. */
function balcao_begin_feed(): void {
	if ( '' !== balcao_cursor() ) {
		return;
	}
	balcao_locked( 'feed', 60, static function (): void {
		wp_cache_delete( 'balcao_feed', 'options' );
		if ( '' === balcao_cursor() ) {
			balcao_save_cursor( (string) balcao_client( 60 )->events->list( [ 'after' => 'now', 'limit' => 1 ] )->next );
		}
	} );
}

/** Lets all orders of new events follow the gateway. A second run at the same moment does nothing. */
function balcao_read_feed(): void {
	if ( ! function_exists( 'balcao_sync_order' ) || ! balcao_is_connected() || '' === balcao_cursor() ) {
		return;
	}
	try {
		balcao_locked( 'feed', 0, 'balcao_read_pages' );
	} catch ( Balcao_Busy $busy ) {
		return;
	} catch ( Balcao\Error $error ) {
		balcao_log( 'feed: ' . $error->getMessage() );
		// The gateway was restored from a backup, and no cursor of it is safe. An order may follow an event again.
		'cursor_invalid' === $error->code && balcao_save_cursor( '0' );
	}
}

/** Reads page by page. The cursor moves after the work of its page is done or scheduled. */
function balcao_read_pages(): void {
	wp_cache_delete( 'balcao_feed', 'options' );
	$end = time() + 20;
	do {
		$cursor = balcao_cursor();
		$tries  = (int) ( ( (array) get_option( 'balcao_feed' ) )['tries'] ?? 0 );
		$page   = balcao_client()->events->list( [ 'after' => $cursor, 'limit' => 200 ] )->page();
		$todo   = [];
		foreach ( $page->data as $event ) {
			$found = balcao_order_of( $event );
			$todo += $found ? [ implode( ' ', $found ) => $found ] : [];
		}
		$todo && balcao_save_cursor( $cursor, $tries + 1 );
		foreach ( $todo as [ $order_id, $payment_id ] ) {
			// An order that ends the process each time (memory, another plug-in) must not stop the orders behind it.
			$tries < 3 ? balcao_sync_again( $order_id, $payment_id ) : balcao_sync_later( $order_id, $payment_id, 1 );
		}
		$page->next && balcao_save_cursor( $page->next );
	} while ( $page->data && time() < $end );
}

/** Lets one order follow. After a failure (a busy order, an error of another plug-in) it runs again later. */
function balcao_sync_again( int $order_id, string $payment_id, int $attempt = 0 ): void {
	try {
		balcao_sync_order( $order_id, $payment_id );
	} catch ( Throwable $error ) {
		balcao_log( "order $order_id: " . $error->getMessage() );
		balcao_sync_later( $order_id, $payment_id, $attempt + 1 );
	}
}

/** Schedules a repeat after 1, 2, 4 … minutes, for about two days. */
function balcao_sync_later( int $order_id, string $payment_id, int $attempt ): void {
	if ( $attempt <= 12 ) {
		$at = time() + min( 30 * 2 ** $attempt, 6 * HOUR_IN_SECONDS );
		wp_schedule_single_event( $at, 'balcao_sync_later', [ $order_id, $payment_id, $attempt ] );
	}
}

/**
 * The order and payment of an event, or null if the event is about no order of this shop.
 * The event only names them, because `balcao_sync_order` reads the payment from the gateway.
 */
function balcao_order_of( Balcao\Result $event ): ?array {
	$custom = $event->data->customMetadata ?? null;
	$is_own = $event->paymentId && $custom instanceof Balcao\Result && $custom->site === balcao_site();
	return $is_own ? [ (int) $custom->order, (string) $event->paymentId ] : null;
}

/** Distinguishes shops that share a merchant. */
function balcao_site(): string {
	return substr( md5( preg_replace( '#^https?://(www\.)?#', '', (string) get_option( 'home' ) ) ), 0, 12 );
}
