<?php
// The configuration of a test site. Each run passes its own values by the environment.
define( 'DB_NAME', 'wordpress' );
define( 'DB_USER', 'root' );
define( 'DB_PASSWORD', '' );
define( 'DB_HOST', 'localhost:' . getenv( 'WORDPRESS_SOCKET' ) );
define( 'DB_CHARSET', 'utf8mb4' );
define( 'DB_COLLATE', '' );
define( 'WP_HOME', getenv( 'WORDPRESS_URL' ) ?: 'http://127.0.0.1' );
define( 'WP_SITEURL', WP_HOME );
// Nothing leaves this machine, and due events run when a test wants it.
define( 'WP_HTTP_BLOCK_EXTERNAL', true );
define( 'WP_ACCESSIBLE_HOSTS', '127.0.0.1,localhost' );
define( 'DISABLE_WP_CRON', true );
define( 'AUTOMATIC_UPDATER_DISABLED', true );
define( 'WP_DEBUG', true );
define( 'WP_DEBUG_DISPLAY', false );
define( 'WP_DEBUG_LOG', getenv( 'WORDPRESS_LOG' ) ?: false );
foreach ( [ 'AUTH', 'SECURE_AUTH', 'LOGGED_IN', 'NONCE' ] as $name ) {
	define( "{$name}_KEY", "$name key of tests" );
	define( "{$name}_SALT", "$name salt of tests" );
}
$table_prefix = 'wp_';
if ( ! defined( 'ABSPATH' ) ) {
	define( 'ABSPATH', __DIR__ . '/' );
}
require_once ABSPATH . 'wp-settings.php';
