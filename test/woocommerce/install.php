<?php
// Installs WordPress with both plug-ins, a product and the pages of the shop, in the folder of the first argument.
define( 'WP_INSTALLING', true );
$_SERVER['HTTP_HOST'] = '127.0.0.1';
require $argv[1] . '/wp-load.php';
require_once ABSPATH . 'wp-admin/includes/upgrade.php';
require_once ABSPATH . 'wp-admin/includes/plugin.php';
wp_install( 'Loja da Ana', 'admin', 'admin@example.com', true, '', 'password' );
update_option( 'permalink_structure', '/%postname%/' );
update_option( 'timezone_string', 'Africa/Luanda' );
update_option( 'active_plugins', [ 'woocommerce/woocommerce.php', 'balcao/balcao.php' ] );
switch_theme( 'twentytwentythree' );
