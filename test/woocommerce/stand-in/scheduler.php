<?php
/**
 * Action Scheduler's functions. A test runs the hooks itself.
 * https://actionscheduler.org/api/
 */
add_action( 'init', static fn() => do_action( 'action_scheduler_init' ), 1 );

function stand_in_actions( string $hook, ?array $args = null, string $group = '' ): array {
	return array_filter( (array) get_option( 'stand_in_actions', [] ), static fn( $one ) => $one['hook'] === $hook && ( ! $args || $one['args'] === $args ) && ( '' === $group || $one['group'] === $group ) );
}

function as_schedule_recurring_action( $time, $interval, $hook, $args = [], $group = '', $unique = false, $priority = 10 ) {
	if ( $unique && stand_in_actions( $hook, null, $group ) ) {
		return 0;
	}
	$actions   = (array) get_option( 'stand_in_actions', [] );
	$actions[] = compact( 'time', 'interval', 'hook', 'args', 'group' );
	update_option( 'stand_in_actions', $actions, false );
	return count( $actions );
}

function as_has_scheduled_action( $hook, $args = null, $group = '' ) { return (bool) stand_in_actions( $hook, $args, $group ); }
function as_unschedule_all_actions( $hook = '', $args = null, $group = '' ) { update_option( 'stand_in_actions', array_diff_key( (array) get_option( 'stand_in_actions', [] ), stand_in_actions( $hook, $args, $group ) ), false ); }
