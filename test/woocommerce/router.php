<?php
// Serves files as they are, and every other address by WordPress, as Apache's rewrite rules do.
$path = parse_url( $_SERVER['REQUEST_URI'], PHP_URL_PATH );
$file = realpath( $_SERVER['DOCUMENT_ROOT'] . $path );
if ( $file && is_dir( $file ) && is_file( "$file/index.php" ) && '/' !== $path ) {
	$_SERVER['SCRIPT_NAME'] = $_SERVER['PHP_SELF'] = rtrim( $path, '/' ) . '/index.php';
	chdir( $file );
	require "$file/index.php";
} elseif ( $file && is_file( $file ) ) {
	return false;
} else {
	$_SERVER['SCRIPT_NAME'] = $_SERVER['PHP_SELF'] = '/index.php';
	require $_SERVER['DOCUMENT_ROOT'] . '/index.php';
}
