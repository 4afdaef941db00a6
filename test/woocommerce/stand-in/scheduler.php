<?php
/**
 * Action Scheduler's functions. Its runner is `stand_in_run_actions`.
 * https://actionscheduler.org/api/
 */
add_action( 'init', static fn() => do_action( 'action_scheduler_init' ), 1 );

function stand_in_actions(): array {
	wp_cache_delete( 'stand_in_actions', 'options' );
	return (array) get_option( 'stand_in_actions', [] );
}

function stand_in_add_action( int $time, int $interval, string $hook, array $args, string $group, bool $unique ): int {
	$actions = stand_in_actions();
	if ( $unique && as_has_scheduled_action( $hook, null, $group ) ) {
		return 0;
	}
	$id             = ( $actions ? max( array_keys( $actions ) ) : 0 ) + 1;
	$actions[ $id ] = compact( 'time', 'interval', 'hook', 'args', 'group' );
	update_option( 'stand_in_actions', $actions, false );
	return $id;
}

function stand_in_find_actions( string $hook, ?array $args, string $group ): array {
	return array_filter( stand_in_actions(), static fn( $one ) => $one['hook'] === $hook && ( null === $args || $one['args'] === $args ) && ( '' === $group || $one['group'] === $group ) );
}

function as_enqueue_async_action( $hook, $args = [], $group = '', $unique = false, $priority = 10 ) { return stand_in_add_action( time(), 0, $hook, $args, $group, $unique ); }
function as_schedule_single_action( $time, $hook, $args = [], $group = '', $unique = false, $priority = 10 ) { return stand_in_add_action( $time, 0, $hook, $args, $group, $unique ); }
function as_schedule_recurring_action( $time, $interval, $hook, $args = [], $group = '', $unique = false, $priority = 10 ) { return stand_in_add_action( $time, $interval, $hook, $args, $group, $unique ); }
function as_has_scheduled_action( $hook, $args = null, $group = '' ) { return (bool) stand_in_find_actions( $hook, $args, $group ); }

function as_next_scheduled_action( $hook, $args = null, $group = '' ) {
	$found = stand_in_find_actions( $hook, $args, $group );
	return $found ? min( array_column( $found, 'time' ) ) : false;
}

function as_unschedule_all_actions( $hook = '', $args = null, $group = '' ) {
	update_option( 'stand_in_actions', array_diff_key( stand_in_actions(), stand_in_find_actions( $hook, $args ?: null, $group ) ), false );
}
function as_unschedule_action( $hook, $args = null, $group = '' ) { as_unschedule_all_actions( $hook, $args, $group ); }

/** Runs the due actions once. */
function stand_in_run_actions(): int {
	$due = array_filter( stand_in_actions(), static fn( $one ) => $one['time'] <= time() );
	foreach ( $due as $id => $one ) {
		$actions = stand_in_actions();
		if ( $one['interval'] ) {
			$actions[ $id ]['time'] = time() + $one['interval'];
		} else {
			unset( $actions[ $id ] );
		}
		update_option( 'stand_in_actions', $actions, false );
		do_action_ref_array( $one['hook'], $one['args'] );
	}
	return count( $due );
}
